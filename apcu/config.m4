PHP_ARG_ENABLE([apcu],
  [whether to enable Larder's apcu, the functions of APCu over Larder's engine],
  [AS_HELP_STRING([--enable-apcu], [Enable Larder's apcu])],
  [yes])

PHP_ARG_WITH([larder],
  [for the folder of Larder's engine],
  [AS_HELP_STRING([--with-larder=DIR], [The folder of Larder's engine, which has larder_api.h; by default the installed one])],
  [no],
  [no])

if test "$PHP_APCU" != "no"; then
  AC_MSG_CHECKING([for larder_api.h])
  if test "$PHP_LARDER" = no || test "$PHP_LARDER" = yes; then
    PHP_LARDER="$phpincludedir/ext/larder"
  fi
  AC_MSG_RESULT([$PHP_LARDER])
  if ! test -f "$PHP_LARDER/larder_api.h"; then
    AC_MSG_ERROR([There is no $PHP_LARDER/larder_api.h. Install Larder's engine for this PHP, or name its folder, such as extension/ in a clone of Larder: ./configure --with-larder=DIR])
  fi
  dnl Where the sources look for it. From PHP 8.4 on phpize does not look there itself.
  mkdir -p include/ext && ln -sfn "`cd "$PHP_LARDER" && pwd`" include/ext/larder
  PHP_ADD_INCLUDE([`pwd`/include])
  PHP_NEW_EXTENSION([apcu], [entry.c functions.c info.c iterator.c module.c pattern.c shape.c], [$ext_shared],,
    [-fvisibility=hidden -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1])
  PHP_ADD_EXTENSION_DEP(apcu, larder)
  PHP_ADD_EXTENSION_DEP(apcu, pcre)
fi
