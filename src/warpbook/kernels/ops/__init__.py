"""The best rung of each ladder as a plain function; `warpbook.ops` is the way in.

A file for each function, or for a few that share their kernel; the others are what those share.
"""
