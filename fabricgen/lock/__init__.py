"""Operations on the lock: remembering choices of a design, releasing holes, and adopting a running fabric."""
