"""The journal: days, reading and cards. Text files are the truth; the index can be made again."""
