# The words a person types. The work is done in dev/ and by ./larder.
# What is missing on the machine is installed first; INSTALL=no forbids that.

.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# Composer warns root away from other people's plugins; none are used here.
export COMPOSER_ALLOW_SUPERUSER = 1
composer_install = composer install --no-interaction --no-progress --no-ansi

## compare    build the engine, start every store and compare them; ARGS="--quick" and the like
compare:
	@dev/compare $(ARGS)

## studies    measure the published tables of all studies again, beside what was published
studies:
	@dev/setup php build stores studies
	@$(MAKE) vendor extension
	@./larder compare --study all $(ARGS)

## test       run every check and test; ARGS="phpt library" runs only these parts
test:
	@dev/setup
	@dev/test $(ARGS)

## prove      run what takes long: kill storms, models, fresh clones, fresh machines
prove:
	@dev/setup
	@dev/test --long $(ARGS)

## figures    measure the figures of docs/ and GUARANTEES.md again, on this machine
figures:
	@dev/setup php build stores studies
	@$(MAKE) vendor-dev extension
	@lab/figures/run $(ARGS)

## lint       style and static analysis only
lint:
	@dev/setup php build lint test
	@$(MAKE) vendor-dev
	@dev/test style static

## fmt        format C and PHP as the style checks want it
fmt:
	@dev/setup php build lint test
	@$(MAKE) vendor-dev
	@dev/fmt

## extension  build extension/modules/larder.so, if its sources have changed
extension:
	@dev/build-extension

## install    build and install the engine for every PHP here; WITH=apcu also the module that replaces APCu
install:
	@dev/install $(WITH)

## uninstall  undo that
uninstall:
	@dev/install --remove

## clean      remove all that was built or fetched into this folder
clean:
	@dev/clean

# The packages that ./larder needs; those who have the checkers too keep them.
vendor: vendor/autoload.php
	@:
vendor/autoload.php: composer.json
	@if [ -e vendor/bin/phpunit ]; then $(MAKE) vendor-dev; else \
		dev/setup php && echo "Fetching the PHP packages that the tool needs" && \
		$(composer_install) --no-dev; fi
	@touch $@

# The same with PHPUnit and the checkers. The stamp is newer than composer.json once all is there.
vendor-dev: vendor/with-dev
	@:
vendor/with-dev: composer.json
	@echo "Fetching the PHP packages that the tests need"
	@$(composer_install)
	@touch vendor/autoload.php $@

help:
	@echo "make …"
	@sed -n 's/^## /  /p' $(firstword $(MAKEFILE_LIST))

.PHONY: compare studies test prove figures lint fmt extension install uninstall clean vendor vendor-dev help
