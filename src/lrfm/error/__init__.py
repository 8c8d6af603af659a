# SPDX-License-Identifier: MIT
"""What is known about the error without a reference: a list of indicators, and the one claim that follows from them.

In: a problem and the expansions of one or two draws. Out: numbers with names, and their combination. May import `linalg`, `problem`,
`spaces`, `rows`.
"""
