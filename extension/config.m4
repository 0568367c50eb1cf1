PHP_ARG_ENABLE([larder],
  [whether to enable Larder, a cache in shared memory],
  [AS_HELP_STRING([--enable-larder], [Enable Larder])],
  [yes])

PHP_ARG_ENABLE([larder-unreadable],
  [whether cached values become unreadable after each request],
  [AS_HELP_STRING([--enable-larder-unreadable],
    [Larder: for its own tests, fault on any touch of a value after the request that fetched it])],
  [no],
  [no])

if test "$PHP_LARDER" != "no"; then
  larder_flags="-fvisibility=hidden -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1"
  dnl Where users' builds have -O2: the loops over arrays gain a tenth. A debug build stays one.
  case " $CFLAGS " in
    *" -O2 "*[)] larder_flags="$larder_flags -O3" ;;
  esac
  dnl As a thread-safe PHP is compiled itself: where a setting lies among its globals depends on it.
  if test "$PHP_THREAD_SAFETY" = "yes"; then
    larder_flags="$larder_flags -pthread"
  fi
  if test "$PHP_LARDER_UNREADABLE" != "no"; then
    larder_flags="$larder_flags -DLARDER_UNREADABLE=1"
  fi

  dnl Elsewhere the extension builds and loads too, and says why there is no cache.
  AC_MSG_CHECKING([whether Larder's engine knows this system])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#if !defined(__linux__) || !defined(__LP64__)
#error
#endif
  ]])], [
    AC_MSG_RESULT([yes])
    dnl Resolved once in FPM's master, not in each new worker at its first fetch: that costs a worker 50 us.
    LDFLAGS="$LDFLAGS -Wl,-z,now"
    larder_core=`cd "PHP_EXT_SRCDIR(larder)" && echo core/*.c`
  ], [
    AC_MSG_RESULT([no])
    larder_core=core/unsupported.c
  ])
  larder_php=`cd "PHP_EXT_SRCDIR(larder)" && echo php/*.c`

  PHP_NEW_EXTENSION([larder], [$larder_php], [$ext_shared],, [$larder_flags])

  dnl core/ is plain C11 and knows nothing of PHP; PHP's headers want the compiler's own dialect.
  if test "$ext_shared" = "yes" || test "$ext_shared" = "shared"; then
    PHP_ADD_SOURCES_X(PHP_EXT_DIR(larder), [$larder_core], [-std=c11 $larder_flags $EXTRA_CFLAGS], shared_objects_larder, yes)
  else
    PHP_ADD_SOURCES(PHP_EXT_DIR(larder), [$larder_core], [-std=c11 $larder_flags])
  fi
  dnl For other modules over the engine, such as apcu.
  PHP_INSTALL_HEADERS([ext/larder], [larder_api.h])
  PHP_ADD_BUILD_DIR([$ext_builddir/core])
  PHP_ADD_BUILD_DIR([$ext_builddir/php])
fi
