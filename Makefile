# The words a person types. The work is done in tools/ and by ./larder.
# What is missing on the machine is installed first; INSTALL=no forbids that.

.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# Composer warns root away from other people's plugins; none are used here.
export COMPOSER_ALLOW_SUPERUSER = 1
composer_install = composer install --no-interaction --no-progress --no-ansi

## compare    build the engine, start every store and compare them; ARGS="--quick" and the like
compare:
	@tools/setup php build stores
	@$(MAKE) vendor extension
	@./larder compare $(ARGS)

## test       run every check and test; ARGS="phpt library" runs only these parts
test:
	@tools/setup
	@tools/test $(ARGS)

## prove      run what takes long: kill storms, models, fresh clones, fresh machines
prove:
	@tools/setup
	@tools/test --long $(ARGS)

## prove-php-src  run php-src's own tests with fetched values in the place of their literals
prove-php-src:
	@tools/setup
	@$(MAKE) vendor-dev extension
	@tools/build-extension unreadable
	@tools/prove-php-src

## figures    measure again the figures that README and GUARANTEES.md give, on this machine
figures:
	@tools/setup php build stores
	@$(MAKE) vendor-dev extension
	@tools/figures $(ARGS)

## lint       style and static analysis only
lint:
	@tools/setup php build lint test
	@$(MAKE) vendor-dev
	@tools/test style static

## fmt        format C and PHP as the style checks want it
fmt:
	@tools/setup php build lint test
	@$(MAKE) vendor-dev
	@tools/fmt

## extension  build extension/modules/larder.so, if its sources have changed
extension:
	@tools/build-extension

## clean      remove all that was built or fetched into this folder
clean:
	@tools/clean

# The packages that ./larder needs; those who have the checkers too keep them.
vendor: vendor/autoload.php
	@:
vendor/autoload.php: composer.json
	@if [ -e vendor/bin/phpunit ]; then $(MAKE) vendor-dev; else \
		echo "Fetching the PHP packages that the tool needs"; \
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

.PHONY: compare test prove prove-php-src figures lint fmt extension clean vendor vendor-dev help
