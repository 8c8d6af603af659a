# SPDX-License-Identifier: MIT
"""What somebody asks who has read the README: statements that are in no example, each with a reference that has nothing to do with lrfm."""
