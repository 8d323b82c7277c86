# Thin over the CMake presets (CMakePresets.json); everything can also be done with cmake and ctest directly.
PRESET  ?= release
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
SCENE   ?= scenes/wall
OUT     ?= out/$(notdir $(SCENE))
# What the picture of the demo shows of the wall; DRAW='...' for other scenes, none: the last frame.
ifeq ($(SCENE),scenes/wall)
DRAW    ?= --time 0.12,0.8 --view 58,17 --fit 'wall*,ball' --colour pressure --range auto --size 1200x520
endif
BUILD   := build/$(PRESET)
TARGET  := all
CTEST   := ctest --output-on-failure --no-tests=error -j $(JOBS)

.DEFAULT_GOAL := build
.PHONY: build demo test test-slow bench asan format check-format viewer pictures install clean help setup

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: ## install the Debian packages that are missing (every target below does it first)
	@tools/setup

build: setup ## build the command and the library into build/release (PRESET=dev, asan, ... for another)
	@mkdir -p build
	@cmake --preset $(PRESET) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build --preset $(PRESET) -j $(JOBS) --target $(TARGET)

# The command alone, without the tests. Without Chromium there is no picture, but everything else.
demo: TARGET := brunt
demo: build ## a ball is thrown at a wall: run it, draw its picture, export it for ParaView (SCENE=... for another scene)
	@tools/setup --pictures || true
	@$(BUILD)/brunt run $(SCENE) --out $(OUT) --overwrite
	@$(BUILD)/brunt export $(OUT) --format vtu --quiet
	@$(BUILD)/brunt export $(OUT) --format png $(DRAW) --out $(OUT)/picture.png --quiet || echo "no picture was drawn"
	@echo
	@echo "The results are in $(OUT):"
	@echo "  $(OUT)/report.html    the run to look at: open it in any browser"
	@test ! -f $(OUT)/picture.png || echo "  $(OUT)/picture.png    two moments of it"
	@echo "  $(OUT)/summary.json   the figures above"
	@echo "  $(OUT)/series.csv     a row a step, opens in any spreadsheet or plotting program"
	@echo "  $(OUT)/trajectory.h5  the frames, opens in h5py, Julia, MATLAB"
	@echo "  $(OUT)/vtu/           the frames for ParaView: paraview $$(ls $(OUT)/vtu/*.pvd)"

# Tests that lack something skip themselves, so that going on without it is right; what is missing has then been said.
# They come first, as the build makes brunt-mpi.so where MPI is there.
test: ## every test but the slow ones
	@tools/setup --tests || true
	@$(MAKE) --no-print-directory build
	@tools/viewer_packages || true
	@$(CTEST) --test-dir $(BUILD) -LE slow

test-slow: build ## the slow tests
	@$(CTEST) --test-dir $(BUILD) -L slow

bench: build ## measure this machine: brunt bench
	@$(BUILD)/brunt bench

asan: ## build with address and undefined-behaviour sanitizers, run the quick tests
	@$(MAKE) --no-print-directory build PRESET=asan
	@$(CTEST) --test-dir build/asan -L quick

format: setup ## format all C sources, tidy those of the viewer
	@tools/check_format --fix
	@tools/check_text --fix

check-format: setup ## fail if a source is not formatted
	@tools/check_format
	@tools/check_text

viewer: ## check the viewer's sources, run its unit tests and bundle it anew into viewer/dist/viewer.html
	@tools/setup --viewer
	@tools/viewer_packages
	@cd viewer && npm run --silent check && npm test --silent && npm run --silent build
	@ls -l viewer/dist/viewer.html

pictures: build ## draw the pictures of the gallery anew (SCENES="arch chain" for some)
	@tools/setup --pictures
	@tools/gallery_pictures $(SCENES)

install: build ## install into /usr/local (PREFIX=... for elsewhere)
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

clean: ## remove build/ and out/
	@rm -rf build out
