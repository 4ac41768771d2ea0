# relist: `make help` lists the targets. Sources are found by folder; nothing is listed by hand.
#
#   *.c          goes into the folder's archive
#   *_test.c     unit tests: foo_test.c defines CU_SuiteInfo <folder>_<foo>_suite
#   *_rig.c      support for the folder's unit tests only
#   *_main.c     a program's main (sim/command/main.c as well)
#   *_fuzz.c     fuzz targets, not built here
#
# Flavours: SAN=asan|tsan, OPT=-O0, COVERAGE=1, MUTANTS=1; each has its own build folder.
# WERROR=0 keeps warnings from being errors, V=1 shows the commands.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin AR),default)
AR := ar
endif
SHELL := /bin/sh
ifeq ($(PATH),)
export PATH := /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
endif
OPT ?= -O2
SAN ?=
COVERAGE ?=
MUTANTS ?=
WERROR ?= 1
PREFIX ?= /usr/local
DESTDIR ?=

opt_default := -O2
ifneq ($(COVERAGE),)
opt_default := -O0
ifeq ($(origin OPT),file)
OPT := -O0
endif
endif
flavour := $(if $(SAN),-$(SAN))$(if $(COVERAGE),-coverage)$(if $(MUTANTS),-mutants)$(if $(filter-out $(opt_default),$(OPT)),$(subst $(eval) ,,$(OPT)))
BUILD ?= build$(flavour)
B := $(BUILD)

VERSION := $(file < VERSION)
SONAME := libinformer.so.0
LIVE_SONAME := libinformer-live.so.0

# ---- Flags ----

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wformat=2 -Wundef -Wswitch-enum $(if $(filter 1,$(WERROR)),-Werror)
CPPFLAGS_ALL := -D_POSIX_C_SOURCE=200809L -DRELIST_VERSION='"$(VERSION)"' -I. -Iinformer/include \
	$(if $(MUTANTS),-DRELIST_MUTANTS=1) $(CPPFLAGS)
CFLAGS_ALL := -std=c17 $(OPT) -g $(WARNINGS) -ffp-contract=off -fno-common $(CFLAGS)
LDFLAGS_ALL := $(LDFLAGS)
ifeq ($(SAN),asan)
CFLAGS_ALL += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS_ALL += -fsanitize=address,undefined
else ifeq ($(SAN),tsan)
CFLAGS_ALL += -fsanitize=thread
LDFLAGS_ALL += -fsanitize=thread
else ifneq ($(SAN),)
$(error SAN must be asan or tsan, not "$(SAN)")
endif
ifneq ($(COVERAGE),)
CFLAGS_ALL += --coverage -fprofile-update=atomic
CPPFLAGS_ALL += -DRELIST_COVERAGE=1
LDFLAGS_ALL += --coverage
endif
# What goes into the shared library too. The base headers that the public headers include are part of
# the interface, so base stays visible.
PIC := -fPIC -fno-semantic-interposition
PIC_base := $(PIC)
PIC_informer := $(PIC) -fvisibility=hidden
PIC_informer_live := $(PIC) -fvisibility=hidden
PIC_base_loop := $(PIC)

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

# ---- Folders and their dependencies (ci/tidy checks that includes follow the same table) ----

FOLDERS := $(sort $(patsubst %/,%,$(dir $(wildcard base/*.c base/loop/*.c informer/*.c informer/live/*.c fakeapi/*.c \
	fakeapi/server/*.c sim/*.c sim/*/*.c reports/*.c))))
under = $(subst /,_,$(1))

NEEDS_base :=
NEEDS_base_loop := base
NEEDS_informer := base
NEEDS_informer_live := informer base/loop base
NEEDS_fakeapi := base
NEEDS_fakeapi_server := fakeapi base/loop base
NEEDS_sim_history := base
NEEDS_reports := sim/history base
# The rest of sim is one layer with rooms; the command is the top.
sim_rooms := $(filter-out sim/command,$(filter sim sim/%,$(FOLDERS)))
needs_sim := $(sim_rooms) informer fakeapi base
needs = $(if $(filter undefined,$(origin NEEDS_$(call under,$(1)))),$(needs_sim),$(NEEDS_$(call under,$(1))))
NEEDS_sim_wire := $(needs_sim) fakeapi/server informer/live base/loop
NEEDS_sim_doctor := $(needs_sim) informer/live base/loop
NEEDS_sim_soak := $(needs_sim) informer/live base/loop
NEEDS_sim_command := $(needs_sim) reports fakeapi/server informer/live base/loop

LIBS_sim := -lyaml -lcjson -lz -lm
LIBS_fakeapi := -lcjson -lyaml -lz -lm
LIBS_informer_live := -lcurl -lssl -lcrypto -lyaml -lcjson -lpthread
LIBS_fakeapi_server := -lnghttp2 -lssl -lcrypto -lcjson
LIBS_command := $(LIBS_sim) -lssl -lcrypto -lpthread -lcurl $(if $(filter informer/live,$(FOLDERS)),$(LIBS_informer_live)) \
	$(if $(filter fakeapi/server,$(FOLDERS)),$(LIBS_fakeapi_server))
LIBS_sim_wire := $(LIBS_command)
LIBS_sim_doctor := $(LIBS_command)
LIBS_sim_soak := $(LIBS_command)
libs = $(or $(LIBS_$(call under,$(1))),$(if $(filter sim/%,$(1)),$(LIBS_sim)),-lcjson)

sources = $(filter-out %_test.c %_rig.c %_main.c %_fuzz.c $(1)/main.c,$(wildcard $(1)/*.c))
tests = $(wildcard $(1)/*_test.c)
rigs = $(wildcard $(1)/*_rig.c)
obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
archive = $(if $(call sources,$(1)),$(B)/lib/$(call under,$(1)).a)
archives = $(foreach f,$(1),$(if $(filter $(f),$(FOLDERS)),$(call archive,$(f))))

TESTED := $(foreach f,$(FOLDERS),$(if $(call tests,$(f)),$(f)))
UNITS := $(foreach f,$(TESTED),unit-$(subst /,-,$(f)))
ALL_OBJECTS := $(foreach f,$(FOLDERS),$(call obj,$(wildcard $(f)/*.c)))

RELIST := $(if $(wildcard sim/command/main.c),$(B)/relist)
PEER := $(if $(wildcard sim/peer_main.c),$(B)/relist-peer)
LIBINFORMER := $(if $(call sources,informer),$(B)/libinformer.a $(B)/libinformer.so) \
	$(if $(call sources,informer/live),$(B)/libinformer-live.a $(B)/libinformer-live.so)

.PHONY: all
all: $(foreach f,$(FOLDERS),$(call archive,$(f))) $(LIBINFORMER) $(if $(LIBINFORMER),$(B)/informer.pc $(B)/informer-live.pc) $(RELIST) $(PEER)

# ---- Objects ----

.PHONY: FORCE
FORCE:

comma := ,

# A file that changes only when its text changes: $(call keep,TEXT).
define keep
@mkdir -p $(@D)
@printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' > $@
endef

$(B)/flags: FORCE
	$(call keep,$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL))

$(B)/obj/%.o: %.c $(B)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(PIC_$(call under,$(patsubst %/,%,$(dir $<)))) -MMD -MP -c -o $@ $<

$(B)/gen/%.o: $(B)/gen/%.c $(B)/flags
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

-include $(patsubst %.o,%.d,$(ALL_OBJECTS) $(B)/obj/ci/unit/runner.o)

# ---- One archive and one test program per folder ----

define folder_rules
$(B)/gen/$(call under,$(1)).list: FORCE
	$$(call keep,$(call sources,$(1)))
$(B)/lib/$(call under,$(1)).a: $(call obj,$(call sources,$(1))) $(B)/gen/$(call under,$(1)).list
	$$(say) AR $$@
	@mkdir -p $$(@D)
	$(Q)rm -f $$@ && $(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach f,$(FOLDERS),$(eval $(call folder_rules,$(f))))

suites = $(foreach t,$(patsubst %_test.c,%,$(call tests,$(1))),$(call under,$(t))_suite)

define test_rules
$(B)/gen/test_$(call under,$(1)).c: FORCE
	@mkdir -p $$(@D)
	@sh ci/unit/suites $(call suites,$(1)) > $$@.new
	@cmp -s $$@.new $$@ && rm -f $$@.new || mv $$@.new $$@
$(B)/test/$(call under,$(1)): $(call obj,$(call tests,$(1)) $(call rigs,$(1)) ci/unit/runner.c) \
		$(B)/gen/test_$(call under,$(1)).o $(call archives,$(sort $(1) $(call needs,$(1))))
	$$(say) LINK $$@
	@mkdir -p $$(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $$@ $$(filter %.o,$$^) \
		-Wl,--start-group $$(filter %.a,$$^) -Wl,--end-group $(call libs,$(1)) -lcunit
.PHONY: unit-$(subst /,-,$(1))
unit-$(subst /,-,$(1)): $(B)/test/$(call under,$(1))
	$(Q)$$< $(UNIT_ARGS)
endef
$(foreach f,$(TESTED),$(eval $(call test_rules,$(f))))

.PHONY: unit unit-build
unit-build: $(foreach f,$(TESTED),$(B)/test/$(call under,$(f)))
unit:
	$(Q)B='$(B)' MAKE='$(MAKE)' UNIT_ARGS='$(UNIT_ARGS)' sh ci/unit/all $(foreach f,$(TESTED),$(call under,$(f)))

# ---- The command and the library ----

$(B)/relist: $(call obj,sim/command/main.c) $(call archives,sim/command $(NEEDS_sim_command))
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS_command)

# Our core behind the lockstep protocol.
$(B)/relist-peer: $(call obj,sim/peer_main.c) $(call archives,sim $(needs_sim))
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS_sim)

library_objects := $(foreach f,base informer,$(call obj,$(call sources,$(f))))
$(B)/libinformer.a: $(library_objects) $(B)/gen/base.list $(B)/gen/informer.list
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
$(B)/libinformer.so: $(library_objects) $(B)/gen/base.list $(B)/gen/informer.list
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -shared -Wl,-soname,$(SONAME) $(if $(SAN)$(COVERAGE),,-Wl$(comma)-z$(comma)defs) \
		-o $@.$(VERSION) $(filter %.o,$^) -lcjson
	$(Q)ln -sf libinformer.so.$(VERSION) $(B)/$(SONAME) && ln -sf $(SONAME) $@

# The host of real life: event loop, HTTP, kubeconfig. Its own library, so that the core alone needs neither.
live_objects := $(foreach f,base/loop informer/live,$(call obj,$(call sources,$(f))))
$(B)/libinformer-live.a: $(live_objects) $(B)/gen/base_loop.list $(B)/gen/informer_live.list
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
$(B)/libinformer-live.so: $(live_objects) $(B)/libinformer.so
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -shared -Wl,-soname,$(LIVE_SONAME) \
		$(if $(SAN)$(COVERAGE),,-Wl$(comma)-z$(comma)defs) -o $@.$(VERSION) $(filter %.o,$^) -L$(B) -linformer \
		'-Wl,-rpath,$$ORIGIN' $(LIBS_informer_live)
	$(Q)ln -sf libinformer-live.so.$(VERSION) $(B)/$(LIVE_SONAME) && ln -sf $(LIVE_SONAME) $@

$(B)/%.pc: informer/%.pc.in VERSION FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< | cmp -s - $@ || \
		sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< > $@

.PHONY: clean
clean:
	$(Q)rm -rf build build-*

# ---- What people call ----

jobs := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
again := $(MAKE) --no-print-directory

.PHONY: help run test test-live nightly peers asan tsan coverage bench format format-check install deps
help:
	@printf '%s\n' \
		'make                builds the command build/relist and the library' \
		'make run            runs every scenario; ends with "N passed, N failed, N void"' \
		'make test           unit tests, scenarios, tapes, determinism, docs; ends with "N passed, N failed"' \
		'make test-live      recordings, live scenarios, doctor and soak against a real kube-apiserver (needs Go)' \
		'make unit           unit tests only; make unit-FOLDER (unit-base, unit-sim-history, ...) those of one folder,' \
		'                    UNIT_ARGS="--suite S --test T --list --repeat N --shuffle SEED --junit FILE --verbose"' \
		'make nightly        20,000 random servers, our core against the real client-go; NIGHTLY_FROM=SEED repeats one' \
		'make peers          the real client-go as a lockstep peer (needs Go); relist run --peer client-go' \
		'make coverage       line and branch coverage per folder; fails below 90 % of informer, fakeapi, sim' \
		'make asan           unit tests, scenarios and tapes with the address and undefined-behaviour sanitizers' \
		'make tsan           unit tests with the thread sanitizer' \
		'make bench          figures of speed and size' \
		'make format         formats the sources; make format-check only looks' \
		'make install        DESTDIR=... PREFIX=/usr/local' \
		'make deps           installs what is needed (run and test do it themselves)' \
		'make clean' \
		'' \
		'Variables: V=1 shows commands, WERROR=0, OPT=-O0, SAN=asan|tsan, COVERAGE=1, BUILD=folder, CC=gcc'

deps:
	@sh ci/deps

run:
	@sh ci/deps
	@$(again) -j$(jobs) $(B)/relist
	@$(B)/relist run $(RUN_ARGS) scenarios

test:
	@sh ci/deps
	@MAKE='$(MAKE)' B='$(B)' sh ci/test

# Each night other seeds: the day's number times a million. The command line is printed, so that it can be repeated.
NIGHTLY_COUNT ?= 20000
nightly:
	@sh ci/deps
	@$(again) -j$(jobs) $(B)/relist
	@B='$(B)' JOBS='$(jobs)' COUNT='$(NIGHTLY_COUNT)' FROM='$(NIGHTLY_FROM)' sh ci/peers/nightly

test-live:
	@sh ci/deps
	@$(again) -j$(jobs) $(B)/relist
	@MAKE='$(MAKE)' B='$(B)' sh ci/kube-apiserver/test

peers:
	@sh ci/peers/client-go/build '$(B)/peers'

asan tsan:
	@sh ci/deps
	@MAKE='$(MAKE)' sh ci/sanitize $@

coverage:
	@sh ci/deps
	@MAKE='$(MAKE)' sh ci/coverage

bench:
	@sh ci/deps
	@$(again) -j$(jobs) $(B)/relist
	@$(B)/relist bench $(BENCH_ARGS)

format:
	@sh ci/format

format-check:
	@sh ci/format --check

install: all
	@CC='$(CC)' B='$(B)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' VERSION='$(VERSION)' sh ci/install
