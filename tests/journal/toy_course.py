"""A course of three small steps."""

from pathlib import Path

from warpbook.journal.teaching import course

TEXT = """---
title: Toys, from first principles
about: counting
---
## 1. One toy
A toy is a thing that you can hold.

It has a colour.

Q: What is a toy?
A: A thing that you can hold.
<!-- card:toy.a1 -->

Q: What does it have?
A: A colour.
<!-- card:toy.a2 -->

## 2. Boxes
Toys lie in a box, which is shut at night.

Q: Where do toys lie?
A: In a box.
<!-- card:toy.b1 -->

## 3. Shelves
Boxes stand on a shelf.

Q: Where do boxes stand?
A: On a shelf.
<!-- card:toy.c1 -->
"""
TOY = course.parse("toy", Path("course.md"), TEXT)
