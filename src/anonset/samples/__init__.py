"""A made-up dataset to try things on: written by a seeded generator, about nobody."""

from anonset.samples.patients import DIAGNOSES, TOWNS, Patient, generate_patients, write_sample

__all__ = ["DIAGNOSES", "TOWNS", "Patient", "generate_patients", "write_sample"]
