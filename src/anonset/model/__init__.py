"""The nouns: frozen values, validated once, with read-only arrays."""
