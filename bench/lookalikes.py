"""The seeded look-alikes that the package ships, under the name the benchmarks know."""

from anonset.samples.lookalikes import like_bms_pos, like_occupations, like_pumsb, like_retail, zipf, zipf_baskets

__all__ = ["like_bms_pos", "like_occupations", "like_pumsb", "like_retail", "zipf", "zipf_baskets"]
