# Two commands are enough on a fresh machine: `make demo` and `make test`. Both install into .venv first, what they need and no more.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Modules are compiled when they are first imported: compiling all of SciPy and matplotlib took half of the installation, and 76 MB.
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: dist versions kills demo docs studio studio-test petsc-test test test-all test-fast torch lint types bench bench-accuracy bench-honesty bench-field bench-backend bench-peers bench-distributed clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lrfm needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[plot]'
	touch $@

# What tests need, and the documentation and the studio with them.
$(VENV)/tests: $(VENV)/installed
	$(PIP) -e '.[test]'
	touch $@

demo: $(VENV)/installed
	$(BIN)/lrfm demo allen-cahn --tol 1e-10 --plot demo-allen-cahn.png

# Tests run beside each other, each with one thread; none measures time, so that a busy machine makes none fail. Many start processes of
# their own: compiled files are kept, whatever the environment says, or each would compile the package anew (1 s).
WORKERS ?= 2
BESIDE  := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

test: $(VENV)/tests
	$(BESIDE) -m 'not thorough'

# With all that repeats on more statements what `make test` checks.
test-all: $(VENV)/tests
	$(BESIDE)

# What needs no whole solve: reading, functions, rows, linear algebra, the parts of the loop, and who imports whom.
UNITS := $(addprefix tests/,problem spaces linalg discretize adapt integrate test_architecture.py)

test-fast: $(VENV)/tests
	$(BESIDE) -m 'not slow and not thorough' $(UNITS)

# The optional backend; its tests are skipped where it is missing.
torch: $(VENV)/tests
	$(PIP) 'torch==2.13.0'

$(VENV)/lint: $(VENV)/installed
	$(PIP) -e '.[lint]'
	touch $@

lint: $(VENV)/lint
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

# Types of optional libraries are looked up, too.
types: $(VENV)/lint $(VENV)/tests
	$(BIN)/pyright --pythonpath $(BIN)/python

# The documentation site, in site/; solves the catalog for the gallery the first time, which takes some minutes.
$(VENV)/docs: $(VENV)/installed
	$(PIP) -e '.[docs]'
	touch $@

docs: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site is in site/index.html"

# A page in the browser; and its tests in a real one, Chromium of the distribution.
$(VENV)/studio: $(VENV)/installed
	$(PIP) -e '.[studio]'
	touch $@

studio: $(VENV)/studio
	$(BIN)/lrfm studio

studio-test: $(VENV)/tests
	$(PIP) -e '.[browser]'
	command -v chromium chromium-browser google-chrome > /dev/null || (apt-get update -qq && apt-get install -y -qq chromium) || (echo "Install Chromium first." && false)
	$(BIN)/python -m pytest tests/studio

# Sparse systems on one process and on two, with Debian's petsc4py, Open MPI and Python: petsc4py of Debian 12 is for NumPy 1, and so is this environment. It sees
# petsc4py and no other package of the distribution. Processes that wait give way to others, and root may start them.
PETSC       := .venv-petsc
PETSC_TESTS := tests/linalg/test_petsc.py tests/solver/test_sharing.py
MPIEXEC     := OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 mpiexec --timeout 1800 --bind-to none --oversubscribe --mca mpi_yield_when_idle 1

$(PETSC)/installed: pyproject.toml
	dpkg -s python3-petsc4py-real openmpi-bin python3-venv > /dev/null 2>&1 || (apt-get update -qq && apt-get install -y -qq python3-petsc4py-real openmpi-bin libopenblas0-serial python3-venv) || (echo "Install python3-petsc4py-real, openmpi-bin and python3-venv first." && false)
	/usr/bin/python3 -m venv $(PETSC)
	ls -d /usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages > $$($(PETSC)/bin/python -c 'import site; print(site.getsitepackages()[0])')/petsc4py.pth
	$(PETSC)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -e . 'numpy<2' 'pytest>=8,<9.2' pytest-xdist hypothesis
	touch $@

petsc-test: $(PETSC)/installed
	$(MPIEXEC) -n 1 $(PETSC)/bin/python -m pytest -x $(PETSC_TESTS)
	$(MPIEXEC) -n 2 $(PETSC)/bin/python -m pytest -x $(PETSC_TESTS)

# Speed: all benchmarks one after the other, and docs/speed.md from their results. Wants a machine with nothing else to do.
bench: $(VENV)/tests
	$(BIN)/python benchmarks/run_all.py

# Hours rather than minutes; both go on where they were broken off. Tables: docs/accuracy.md.
bench-accuracy: $(VENV)/tests
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/tables.py

bench-honesty: $(VENV)/tests
	$(BIN)/python benchmarks/honesty.py
	$(BIN)/python benchmarks/tables.py

# What papers publish and users try first, with `tol` alone; wants a quiet machine. Page: docs/field.md.
bench-field: $(VENV)/tests
	$(BIN)/python benchmarks/field/run.py --seeds 5
	$(BIN)/python benchmarks/field/page.py

bench-backend: torch
	$(BIN)/python benchmarks/backend.py

# py-pde, DeepXDE and a spectral method of lines, from PyPI in an environment of their own.
bench-peers: $(VENV)/tests
	$(BIN)/python benchmarks/peers.py

# One worker against two; a few minutes on a quiet machine.
bench-distributed: $(VENV)/tests
	$(BIN)/python benchmarks/many_machines.py

clean:
	rm -rf $(VENV) $(PETSC) .venv-peers .pytest_cache .ruff_cache

# Wheel and source archive in dist/, checked, installed into a clean environment and used there.
dist:
	$(PYTHON) tools/dist.py

# Oldest and newest dependencies on every Python that is here; and kills at random moments.
versions:
	$(PYTHON) tools/versions.py

kills: $(VENV)/tests
	$(BIN)/python benchmarks/kills.py
