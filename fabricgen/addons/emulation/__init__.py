"""A hall of paper: what its devices would say of their neighbours, as planned or with faults laid in.

The model (`plan.py`, `model.py`), the faults and the writers of dumps import nothing of the package; tests judge
`verify` by them.
"""
