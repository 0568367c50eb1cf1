--TEST--
Every function and method of PHP leaves fetched arguments alone
--EXTENSIONS--
pcntl
dom
ldap
mbstring
sockets
sqlite3
--FILE--
<?php
require __DIR__ . '/../anything.inc';

/*
 * Each is called with values that its types allow, in child processes: many do not come back. Only what takes a string
 * or an array is called, and nothing that waits, sends, runs a program or ends another process.
 */
const NEVER = '/^(larder|dl$|exec$|system$|passthru$|shell_exec$|popen$|proc_open$|pcntl_|posix_|cli_|sleep|usleep|time_|mail$'
    . '|mb_send_mail$|syslog$|openlog$|error_log$|dns_|gethostby|checkdnsrr$|getmxrr$|p?fsockopen$|stream_socket_|readline)/i';
const ARRAYS = ['list', 'map', 'rows', 'names'];
const STRINGS = ['word', 'number', 'json', 'class'];
const CALLS_IN_A_PROCESS = 100;

/** Values for the parameters, by their types; null if there is none for one of them, or none is a string or an array. */
function arguments(ReflectionFunctionAbstract $function, int $number): ?array
{
    $arguments = [];
    $fetched = false;
    foreach ($function->getParameters() as $parameter) {
        $type = (string) ($parameter->getType() ?? 'mixed');
        $is = fn (string $types): bool => preg_match("/(^|[|?])($types)($|\|)/", $type) === 1;
        $text = $is('string') && ($number % 2 === 0 || !$is('array'));
        if ($text || $is('array|iterable|mixed|callable')) {
            $name = $is('callable') ? 'function' : ($text ? STRINGS : ARRAYS)[intdiv($number, 2)];
            $value = stored($name);
            $fetched = true;
        } elseif ($is('int|float|bool')) {
            $value = 1;
        } elseif ($parameter->allowsNull()) {
            $value = null;
        } elseif ($parameter->isOptional()) {
            break;
        } else {
            return null;
        }
        unset($variable);
        $variable = $value;
        if ($parameter->canBePassedByValue()) {
            $arguments[] = $variable;
        } else {
            $arguments[] = &$variable;
        }
    }

    return $fetched ? $arguments : null;
}

/** Makes an object of a class, or gives null. */
function object(ReflectionClass $class): ?object
{
    for ($number = 0; $number < 2 * count(ARRAYS); $number++) {
        try {
            $constructor = $class->getConstructor();

            return $class->newInstanceArgs($constructor ? arguments($constructor, $number) ?? [] : []);
        } catch (Throwable) {
        }
    }

    return null;
}

/** @return list<array{string, int}> each function and method, with each number of arguments() */
function calls(): array
{
    $names = get_defined_functions()['internal'];
    foreach (get_declared_classes() as $class) {
        $reflection = new ReflectionClass($class);
        if ($reflection->isInternal() && !$reflection->isAbstract()) {
            foreach ($reflection->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
                $names[] = "$class::{$method->name}";
            }
        }
    }
    $calls = [];
    foreach (preg_grep(NEVER, $names, PREG_GREP_INVERT) as $name) {
        for ($number = 0; $number < 2 * count(ARRAYS); $number++) {
            $calls[] = [$name, $number];
        }
    }

    return $calls;
}

function call_one(string $name, int $number): void
{
    try {
        if (!str_contains($name, '::')) {
            $arguments = arguments(new ReflectionFunction($name), $number);
            $arguments === null || $name(...$arguments);

            return;
        }
        $method = new ReflectionMethod($name);
        $arguments = arguments($method, $number);
        if ($arguments !== null) {
            $method->isConstructor()
                ? (new ReflectionClass($method->class))->newInstanceArgs($arguments)
                : $method->invokeArgs($method->isStatic() ? null : object(new ReflectionClass(strstr($name, '::', true))), $arguments);
        }
    } catch (Throwable) {
    }
}

/** Makes calls from one on, in a child process. Gives the number of those begun, and the signal that ended the child. */
function in_a_child(array $calls, int $first, int $count, bool $copies): array
{
    [$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $child = pcntl_fork();
    if ($child === 0) {
        foreach ([STDIN, STDOUT, STDERR] as $stream) {
            fclose($stream);
        }
        $streams = [fopen('/dev/null', 'r'), fopen('/dev/null', 'w'), fopen('/dev/null', 'w')];
        ini_set('larder.zero_copy', $copies ? '0' : '1');
        foreach (array_slice($calls, $first, $count) as [$name, $number]) {
            fwrite($its, '.');
            pcntl_alarm(2);
            call_one($name, $number);
        }
        pcntl_exec('/bin/true'); // without the destructors and functions that were left behind
    }
    fclose($its);
    $begun = strlen(stream_get_contents($mine));
    pcntl_waitpid($child, $status);

    return [$begun, pcntl_wifsignaled($status) ? pcntl_wtermsig($status) : 0];
}

$directory = temporary_directory(sys_get_temp_dir());
chdir($directory);
ini_set('session.save_path', $directory);
ini_set('memory_limit', '1G');
$calls = calls();
$wrote = [];
$copied = 0;
for ($first = 0; $first < count($calls); $first += max(1, $begun)) {
    [$begun, $signal] = in_a_child($calls, $first, CALLS_IN_A_PROCESS, false);
    if ($signal === SIGSEGV) {
        // what ends with copies too, such as a recursion without end, did not write
        $before = larder_info()['copies'];
        [, $signal] = in_a_child($calls, $first + $begun - 1, 1, true);
        $copied += larder_info()['copies'] - $before;
        if ($signal !== SIGSEGV) {
            $wrote[$calls[$first + $begun - 1][0]] = true;
        }
    }
}
chdir('/');
remove($directory);
count($calls) > 5000 || print count($calls) . " calls only\n";
echo implode("\n", [...array_keys($wrote), '']);
unchanged($copied);
?>
--EXPECT--
unchanged
