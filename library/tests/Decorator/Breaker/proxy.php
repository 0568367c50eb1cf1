<?php

declare(strict_types=1);

/*
 * Stands between a client and a server on a unix socket and makes trouble, as a file says that is read again at each
 * step:
 *
 *     php proxy.php LISTEN SERVER MODE-FILE
 *
 *     pass          hands on all that comes
 *     silent        takes what comes and answers nothing
 *     late 0.5      hands on the server's answers so many seconds later
 *     hold          keeps the server's answers, and hands them on when it does something else
 *     half 5        hands on so many bytes of the answers on a connection, and no more
 *     dribble 0.02  hands on a byte of the answers so many seconds after the one before
 *     drop 5        the same as half, and hangs up then
 *     garbage       answers with bytes that no protocol knows
 *     refuse        does not listen, and hangs up on everybody
 */

[, $listen, $server, $modeFile] = $argv;
$listener = null;
/** @var array<int, array{client: resource, server: resource, passed: int}> $pairs */
$pairs = [];
/** @var list<array{float, int, string}> $waiting when, for which pair, what */
$waiting = [];

$close = static function (int $pair) use (&$pairs): void {
    if (isset($pairs[$pair])) {
        fclose($pairs[$pair]['client']);
        fclose($pairs[$pair]['server']);
        unset($pairs[$pair]);
    }
};
$answer = static function (int $pair, string $bytes) use (&$pairs): void {
    if (isset($pairs[$pair])) {
        @fwrite($pairs[$pair]['client'], $bytes);
    }
};

$before = '';
for (;;) {
    [$mode, $number] = [...explode(' ', trim((string) file_get_contents($modeFile))), '0'];
    if ($mode !== $before) {
        foreach (array_keys($pairs) as $pair) {
            $pairs[$pair]['passed'] = 0;
        }
        $before = $mode;
    }
    if ($mode === 'refuse' && $listener !== null) {
        fclose($listener);
        unlink($listen);
        $listener = null;
        array_map($close, array_keys($pairs));
    } elseif ($mode !== 'refuse' && $listener === null) {
        $listener = stream_socket_server('unix://' . $listen);
        if ($listener === false) {
            exit(1);
        }
    }
    $now = microtime(true); // one time for all: later bytes must not overtake earlier ones
    foreach ($waiting as $i => [$when, $pair, $bytes]) {
        if ($when <= $now || $when === \INF && $mode !== 'hold') {
            $answer($pair, $bytes);
            unset($waiting[$i]);
        }
    }

    $read = $listener === null ? [] : ['listener' => $listener];
    foreach ($pairs as $pair => $streams) {
        $read[$pair . ' client'] = $streams['client'];
        $read[$pair . ' server'] = $streams['server'];
    }
    $none = null;
    if ($read === []) {
        usleep(5000);

        continue;
    }
    if ((int) stream_select($read, $none, $none, 0, 5000) === 0) {
        continue;
    }
    foreach ($read as $name => $stream) {
        if ($name === 'listener') {
            $client = @stream_socket_accept($stream, 0);
            $upstream = $client === false ? false : @stream_socket_client('unix://' . $server);
            if ($client !== false && $upstream !== false) {
                stream_set_blocking($upstream, true);
                stream_set_read_buffer($client, 0);
                stream_set_read_buffer($upstream, 0);
                $pairs[] = ['client' => $client, 'server' => $upstream, 'passed' => 0];
            }

            continue;
        }
        [$pair, $side] = explode(' ', $name);
        $pair = (int) $pair;
        if (!isset($pairs[$pair])) {
            continue;
        }
        $bytes = @fread($stream, 65_536);
        if ($bytes === false || $bytes === '') {
            $close($pair);
        } elseif ($side === 'client') {
            if ($mode === 'garbage') {
                $answer($pair, "\xff" . random_bytes(63) . "\r\n");
            } elseif ($mode !== 'silent') {
                @fwrite($pairs[$pair]['server'], $bytes);
            }
        } elseif ($mode === 'late' || $mode === 'hold') {
            $waiting[] = [$mode === 'hold' ? \INF : microtime(true) + (float) $number, $pair, $bytes];
        } elseif ($mode === 'dribble') {
            $when = microtime(true);
            foreach ($waiting as [$earlier, $of]) {
                $when = $of === $pair
                    ? max($when, $earlier + (float) $number)
                    : $when; // after what came before on this connection
            }
            foreach (str_split($bytes) as $i => $byte) {
                $waiting[] = [$when + $i * (float) $number, $pair, $byte];
            }
        } elseif ($mode === 'half' || $mode === 'drop') {
            $part = substr($bytes, 0, max(0, (int) $number - $pairs[$pair]['passed']));
            $pairs[$pair]['passed'] += strlen($part);
            $answer($pair, $part);
            if ($mode === 'drop' && strlen($part) < strlen($bytes)) {
                $close($pair);
            }
        } elseif ($mode === 'pass') {
            $answer($pair, $bytes);
        }
    }
}
