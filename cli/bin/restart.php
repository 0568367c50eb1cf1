<?php

declare(strict_types=1);

// larder --user NAME and --segment NAME. The user and the segment of a process are decided before it starts, so this
// starts it again, before any code of the project is read, which another user may be able to write. Root's environment,
// groups and terminal are left behind: in a session of its own, the new process cannot put input into the terminal.

(static function (): void {
    global $argv;
    /** @var list<string> $argv */
    $words = $asked = [];
    // These handle it themselves.
    $isOwn = ($argv[1] ?? '') === 'resize' || preg_grep('/^--fcgi(=|$)/D', $argv) !== [];
    $own = $isOwn ? 'segment' : '';
    for ($i = 0; $i < count($argv); ++$i) {
        if ($argv[$i] === '--') {
            array_push($words, ...array_slice($argv, $i));
            break;
        }
        if (preg_match('/^--(user|segment)(?:=(.*))?$/Ds', $argv[$i], $parts) === 1 && $parts[1] !== $own) {
            $asked[$parts[1]] = $parts[2] ?? $argv[++$i] ?? '';
        } else {
            $words[] = $argv[$i];
        }
    }
    $stop = static function (string $message): never {
        fwrite(\STDERR, "larder: $message\n");
        exit(3); // not known, as for monitoring
    };
    if (in_array('', $asked, true)) {
        $stop('--user and --segment need a name');
    }
    // A php.ini that restricts pages may restrict the shell, too, where it can be undone for one command.
    $needed = ['getmypid', 'ini_set', 'posix_geteuid', 'posix_getpwnam', 'posix_getpwuid', 'posix_kill', 'proc_open'];
    foreach ($needed as $function) {
        $isOfHere = !str_starts_with($function, 'posix_') || extension_loaded('posix'); // the doctor works without
        if ($isOfHere && !function_exists($function)) {
            $stop("PHP has no function $function() here, which it needs: php -d disable_functions= $argv[0] …");
        }
    }
    $become = [];
    $name = $asked['user'] ?? '';
    if ($name !== '') {
        $user = preg_match('/^\d+$/D', $name) === 1 ? posix_getpwuid((int) $name) : posix_getpwnam($name);
        if ($user === false) {
            $stop("there is no user $name");
        }
        if ($user['uid'] !== posix_geteuid()) {
            if (posix_geteuid() !== 0) {
                $stop(sprintf('only root can work as %s: sudo larder …', $user['name']));
            }
            $ids = ['--reuid', (string) $user['uid'], '--regid', (string) $user['gid']];
            $become = ['setsid', '--wait', 'setpriv', ...$ids, '--init-groups', '--reset-env', '--', 'env'];
            // Without the first two, the engine may not load.
            foreach (['PHP_INI_SCAN_DIR', 'LARDER_EXTENSION', 'NO_COLOR'] as $variable) {
                $value = getenv($variable);
                if ($value !== false) {
                    $become[] = "$variable=$value";
                }
            }
        }
    }
    if ($become === [] && !isset($asked['segment'])) {
        $GLOBALS['argv'] = $_SERVER['argv'] = $words;

        return;
    }
    // PHP would only say that it cannot open the file.
    $file = (string) realpath($words[0]);
    if ($become !== []) {
        // Those that autoload.php looks for.
        $loaders = [
            $GLOBALS['_composer_autoload_path'] ?? '',
            __DIR__ . '/../../vendor/autoload.php',
            __DIR__ . '/../../../autoload.php',
        ];
        $found = array_filter($loaders, static fn(mixed $path): bool => is_string($path) && is_file($path));
        $needs = [$file];
        foreach (array_slice($found, 0, 1) as $loader) {
            array_push($needs, $loader, dirname($loader) . '/composer/autoload_real.php');
        }
        foreach ($needs as $needed) {
            $look = proc_open([...$become, 'test', '-r', $needed], [\STDIN, \STDOUT, \STDERR], $pipes);
            if ($look === false || proc_close($look) !== 0) {
                $stop("$name cannot read $needed: let that user read it (chmod -R a+rX), or install it in /opt");
            }
        }
    }
    // PHP's own options, as it was called with them: all before the script.
    $called = explode("\0", substr((string) file_get_contents('/proc/self/cmdline'), 0, -1));
    $options = array_slice($called, 1, max(0, count($called) - count($argv) - 1));
    $segment = isset($asked['segment']) ? ['-d', 'larder.segment=' . $asked['segment']] : [];
    if (isset($asked['segment'])) { // a mistyped one must not look empty and well
        $named = 'LARDER_SEGMENT=' . $asked['segment'];
        $become === [] ? putenv($named) : $become[] = $named;
    }
    $command = [...$become, \PHP_BINARY, ...$options, ...$segment, ...$words];
    $process = proc_open($command, [\STDIN, \STDOUT, \STDERR], $pipes);
    exit($process === false ? 3 : proc_close($process));
})();
