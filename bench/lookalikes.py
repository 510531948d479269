"""The seeded look-alikes of the papers' datasets, under the name the benchmarks know."""

from anonset.samples import zipf, zipf_baskets
from anonset_papers.lookalikes import like_bms_pos, like_occupations, like_pumsb, like_retail

__all__ = ["like_bms_pos", "like_occupations", "like_pumsb", "like_retail", "zipf", "zipf_baskets"]
