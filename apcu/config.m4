PHP_ARG_ENABLE([apcu],
  [whether to enable Larder's apcu, the functions of APCu over Larder's engine],
  [AS_HELP_STRING([--enable-apcu], [Enable Larder's apcu])],
  [yes])

if test "$PHP_APCU" != "no"; then
  AC_MSG_CHECKING([for ext/larder/larder_api.h])
  larder_found=no
  for larder_folder in $CPPFLAGS -I$phpincludedir; do
    case "$larder_folder" in
      -I*) test -f "${larder_folder#-I}/ext/larder/larder_api.h" && larder_found=yes ;;
    esac
  done
  AC_MSG_RESULT([$larder_found])
  if test "$larder_found" = no; then
    AC_MSG_ERROR([Larder's engine is not installed. Run: pie install larder/ext-larder])
  fi
  PHP_NEW_EXTENSION([apcu], [entry.c functions.c info.c iterator.c module.c pattern.c shape.c], [$ext_shared],,
    [-fvisibility=hidden -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1])
  PHP_ADD_EXTENSION_DEP(apcu, larder)
  PHP_ADD_EXTENSION_DEP(apcu, pcre)
fi
