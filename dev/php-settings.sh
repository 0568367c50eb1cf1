# shellcheck shell=sh
# To be sourced where $root is the folder of the clone: from here on every php, php-cgi and php-fpm runs without Xdebug and
# whatever else slows PHP down or watches it, though the machine's own settings load it. LARDER_PHP_SETTINGS names a folder
# for copies of these settings, where var/php is not one that other users can read; its owner alone may write there.
# shellcheck disable=SC2154 # root is set by those who source this
if [ -z "${LARDER_PHP_SETTINGS_ARE_MADE-}" ] && command -v "${PHP:-php}" >/dev/null; then
    eval "$(XDEBUG_MODE=off "${PHP:-php}" -d display_errors=stderr "$root/dev/php-settings.php" "${LARDER_PHP_SETTINGS:-$root/var/php}")"
    export LARDER_PHP_SETTINGS_ARE_MADE=1
fi
