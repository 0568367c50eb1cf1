--TEST--
Sessions: one that is destroyed while another request has it open stays destroyed, as with PHP's files
--EXTENSIONS--
session
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions();
ob_start();
ini_set('session.save_path', getenv('LARDER_TEST_CACHE'));

/** Destroys a session while a child has it open, which then does something with it. What is left of it. */
function destroyed(Closure $meanwhile, int $lifetime = 1440): string
{
    $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    ini_set('session.gc_maxlifetime', $lifetime);
    session_id('victim');
    session_start();
    $_SESSION = ['user' => 'mallory'];
    session_write_close();
    $child = pcntl_fork();
    if ($child === 0) {
        global $handler;
        session_set_save_handler($handler = new SessionHandler(), true);
        session_id('victim');
        session_start();
        fwrite($pair[1], 'x');
        fread($pair[1], 1);
        $meanwhile();
        session_write_close();
        posix_kill(getmypid(), 9);
    }
    fread($pair[0], 1);
    $handler = new SessionHandler();
    session_set_save_handler($handler, true);
    session_id('admin');
    session_start();
    $isDestroyed = $lifetime === 1 ? sleep(2) === 0 : $handler->destroy('victim');
    session_write_close();
    fwrite($pair[0], 'x');
    pcntl_waitpid($child, $status);
    session_id('victim');
    session_start(['read_and_close' => true]);

    return json_encode([$isDestroyed, $_SESSION]);
}

/** Destroys a session for which a child waits, which then writes it. What is left of it, and of what the child was given. */
function waited_for(bool $strict): string
{
    $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    session_id('victim');
    session_start();
    $_SESSION = ['user' => 'alice'];
    session_write_close();
    session_id('victim');
    session_start();
    $child = pcntl_fork();
    if ($child === 0) {
        session_abort();
        session_id('victim');
        fwrite($pair[1], 'x');
        session_start(['use_strict_mode' => $strict]);
        fwrite($pair[1], json_encode([session_id(), $_SESSION]));
        $_SESSION['hits'] = 1;
        session_write_close();
        posix_kill(getmypid(), 9);
    }
    fread($pair[0], 1);
    usleep(300_000); // it has found the session, and waits
    session_destroy();
    pcntl_waitpid($child, $status);
    session_id('victim');
    session_start(['read_and_close' => true, 'use_strict_mode' => false]);

    return fread($pair[0], 100) . ' ' . json_encode($_SESSION);
}

$cases = [
    'changed' => fn() => $_SESSION['hits'] = 1,
    'unchanged' => fn() => null,
    'begun again' => function () {
        session_destroy();
        session_id('victim');
        session_start();
        $_SESSION = ['user' => 'alice'];
    },
    'read again, and filled' => function () {
        session_reset();
        $_SESSION['n'] = 'new';
    },
    'destroyed, and written' => function () {
        global $handler;
        $handler->destroy('victim');
        $handler->write('victim', 'user|s:3:"bob";');
        session_abort();
    },
];
foreach ($cases as $name => $meanwhile) {
    $left = [];
    foreach (['larder', 'files'] as $handler) {
        ini_set('session.save_handler', $handler);
        $left[] = destroyed($meanwhile);
    }
    echo "$name: $left[0]", $left[0] === $left[1] ? '' : " (files: $left[1])", "\n";
}
ini_set('session.save_handler', 'larder');
echo 'waited for: ', waited_for(true), ', without strict mode ', waited_for(false), "\n";
echo 'expired meanwhile: ', destroyed($cases['changed'], 1), "\n";
?>
--EXPECT--
changed: [true,[]]
unchanged: [true,[]]
begun again: [true,{"user":"alice"}]
read again, and filled: [true,{"n":"new"}]
destroyed, and written: [true,{"user":"bob"}]
waited for: ["victim",[]] [], without strict mode ["victim",[]] {"hits":1}
expired meanwhile: [true,{"user":"mallory","hits":1}]
