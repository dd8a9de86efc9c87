"""A fuzzer of both faces: hostile arguments, random calls and programs against oracles, gradients against finite differences, fusion.

    make fuzz SEED=7 MINUTES=10          every part, with new seeds
    make fuzz PART=hostile CASE=1234     one case again, as it was printed

docs/testing.md describes the parts. Every case is derived from (seed, part, number) alone and is
Python source, so that each finding can be reproduced by itself.
"""
