<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Operator;

use Larder\Cli\Inspect\Text;
use Larder\Cli\Operator\Login;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmConnection;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmResponse;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** cli/page.php behind nginx and PHP-FPM, and `larder … --fcgi` at the same pool. */
final class PageTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';
    private const PASSWORD = 'pass "word" $1';
    private const FILL = <<<'PHP'
        <?php
        ini_set('session.save_handler', 'larder');
        ini_set('session.use_cookies', '0');
        session_id('ses5ion0ses5ion0ses5ion0ses5ion0');
        session_start();
        $_SESSION['user'] = 'Ada';
        session_write_close();
        larder_store('<script>alert(1)</script>:"\'&', str_repeat('a secret value', 300));
        larder_store("bytes\xff\x00\x1b]0;", 1);
        larder_store('token:' . str_repeat('0123456789', 5) . 'THE-END', 1);
        larder_store('user:1', 1);
        larder_store('marks' . str_repeat("\u{301}", 5000), 1);
        larder_store(str_repeat('ü', 50) . ':1', 1);
        larder_fetch('user:1');
        larder_store('trap', new Trap());
        class Trap { public function __serialize(): array { return []; } public function __unserialize(array $data): void { error_log('UNSERIALIZED'); } }
        echo 'filled';
        PHP;

    private static TemporaryDirectory $folder;
    private static PhpFpmServer $fpm;
    private static NginxServer $nginx;

    public static function setUpBeforeClass(): void
    {
        self::$folder = new TemporaryDirectory('/dev/shm');
        $line = explode(' = ', Login::line(self::PASSWORD), 2);
        self::assertSame('env[LARDER_PAGE_PASSWORD_HASH]', $line[0]);
        $password = [$line[0] => $line[1], 'env[LARDER_PAGE_LINKS]' => '"blog=/blog/larder 1=/one evil=javascript:alert(1) far=//evil.example"'];
        self::$fpm = PhpFpmServer::start(
            self::$folder->add('fpm'),
            ['larder.path' => self::$folder->path, 'larder.size' => '16M', 'larder.sessions_size' => '8M'],
            PhpProcess::engine(),
            [
                new PhpFpmPool(workers: 2, directives: $password),
                new PhpFpmPool('bare'),
                new PhpFpmPool('dollar', directives: ['env[LARDER_PAGE_PASSWORD_HASH]' => '$2y$12$abc']),
                new PhpFpmPool('broken', ['display_errors' => '1', 'disable_functions' => 'larder_increment,ini_set,putenv'], directives: $password),
            ],
        );
        self::$nginx = NginxServer::start(self::$folder->add('nginx'), (string) realpath(self::ROOT . '/cli'), self::$fpm->socket);
    }

    public static function tearDownAfterClass(): void
    {
        self::$nginx->stop();
        self::$fpm->stop();
        self::$folder->remove();
    }

    protected function setUp(): void
    {
        self::pool('<?php larder_clear();');
        self::assertSame('filled', self::pool(self::FILL)->body);
    }

    public function testPoolWithoutPasswordRefusesAndSaysWhatToDo(): void
    {
        $page = (string) realpath(self::ROOT . '/cli/page.php');
        foreach (['bare' => 'is not set', 'dollar' => 'is empty'] as $pool => $why) {
            $answer = self::$fpm->request($page, pool: $pool);
            self::assertSame(503, $answer->status);
            self::assertStringContainsString(
                "LARDER_PAGE_PASSWORD_HASH in the configuration of this pool $why. Run this",
                $answer->body,
            );
            self::assertStringNotContainsString('user:', $answer->body);
        }
        $line = new Process([\PHP_BINARY, $page], input: "secret\n");
        $line->mustRun();
        self::assertSame(
            1,
            preg_match('/^env\[LARDER_PAGE_PASSWORD_HASH\] = "(2y\$.+)"\n$/D', $line->getOutput(), $match),
        );
        self::assertTrue(password_verify('secret', '$' . $match[1]));
    }

    /** Composer links a package of a clone, and PHP resolves the link: the clone may have no packages of its own. */
    public function testLinkedPageUsesThePackagesOfItsProject(): void
    {
        $vendor = self::$folder->path . '/project/vendor';
        mkdir("$vendor/larder", recursive: true);
        symlink((string) realpath(self::ROOT . '/cli'), "$vendor/larder/cli");
        $loader = self::$folder->write('project/vendor/autoload.php', '<?php function_exists("larder_increment") && larder_increment("project"); return require "'
            . self::ROOT . '/vendor/autoload.php";');
        foreach (['page.php' => 503, 'metrics.php' => 200] as $file => $status) {
            self::assertSame($status, self::$fpm->request("$vendor/larder/cli/$file", pool: 'bare')->status);
        }
        self::assertSame('2', self::pool('<?php echo larder_fetch("project");')->body);

        $keys = new Process(
            [\PHP_BINARY, self::ROOT . '/cli/bin/larder', 'keys', '--fcgi=' . self::$fpm->socket, 'project'],
            env: ['LARDER_AUTOLOAD' => $loader],
        );
        $keys->run();
        self::assertStringContainsString(' project', $keys->getOutput(), $keys->getErrorOutput());
        self::assertSame('3', self::pool('<?php echo larder_fetch("project");')->body);
    }

    public function testNobodySeesAnythingBeforeLogin(): void
    {
        $cookie = self::logIn();
        foreach (['/page.php', '/page.php?json=1', '/page.php?prefix=user'] as $path) {
            foreach (['', 'larder-page=' . (time() + 1000) . '.', 'larder-page=' . substr($cookie, 12, -1) . 'x'] as $bad) {
                [$status, $head, $body] = self::http($path, $bad);
                self::assertSame(403, $status);
                self::assertStringNotContainsString('user:', $body);
                self::assertStringContainsString('type="password"', $body);
                self::assertSecure($head);
            }
        }
        [$status, $head, $body] = self::http('/page.php', $cookie);
        self::assertSame(200, $status, $body);
        self::assertStringContainsString('user:1', $body);
        self::assertSecure($head);
    }

    public function testLoginEndsWithItsTimeAndWithThePassword(): void
    {
        putenv('LARDER_PAGE_PASSWORD_HASH=' . password_hash('one', \PASSWORD_BCRYPT, ['cost' => 4]));
        $login = Login::configured();
        putenv('LARDER_PAGE_PASSWORD_HASH=' . password_hash('one', \PASSWORD_BCRYPT, ['cost' => 4]));
        $other = Login::configured();
        putenv('LARDER_PAGE_PASSWORD_HASH');
        self::assertInstanceOf(Login::class, $login);
        self::assertInstanceOf(Login::class, $other);
        $make = static fn(int $until): string => "$until." . $login->sign("login $until");
        self::assertTrue($login->accepts($make(time() + 100)), 'the control');
        self::assertFalse($login->accepts($make(time() - 1)));
        self::assertFalse($login->accepts($make(time() + 9 * 3600)), 'longer than any login');
        self::assertFalse($other->accepts($make(time() + 100)));
        self::assertFalse($login->accepts((time() + 200) . '.' . $login->sign('login ' . (time() + 100))));
    }

    public function testAttemptsAreLimitedByAddress(): void
    {
        foreach (range(1, 10) as $i) {
            [$status, , $body] = self::http('/page.php', '', ['password' => "wrong$i"]);
            self::assertSame(403, $status);
            self::assertStringContainsString('Not this one', $body);
        }
        self::assertSame(
            403,
            self::http('/page.php', '', ['password' => self::PASSWORD])[0],
            'the right one, too late',
        );
        // Another address is not locked out: a header does not make one, a parameter of the web server does.
        self::assertSame(
            403,
            self::http('/page.php', '', ['password' => self::PASSWORD], 'X-Forwarded-For: 192.0.2.9')[0],
        );
        self::assertSame(
            'larder-attempts:7f000001 ',
            self::pool('<?php foreach (new LarderIterator("\0larder-attempts:") as $n => $i) { echo trim($n, "\0"), " "; }')->body,
        );
        self::pool('<?php larder_delete("\0larder-attempts:7f000001");');
        self::assertSame(303, self::http('/page.php', '', ['password' => self::PASSWORD])[0]);
        // A socket for IPv4 and IPv6 names an IPv4 address so. Another one is not locked out.
        $page = (string) realpath(self::ROOT . '/cli/page.php');
        foreach (['::ffff:192.0.2.1' => 11, '::ffff:192.0.2.2' => 1] as $address => $attempts) {
            foreach (range(1, $attempts) as $i) {
                $sent = ['REQUEST_METHOD' => 'POST', 'REMOTE_ADDR' => $address];
                self::assertSame(403, self::$fpm->request($page, parameters: $sent)->status);
            }
        }
        self::assertSame('11 1', self::pool('<?php echo larder_fetch("\0larder-attempts:c0000201"), " ",'
            . ' larder_fetch("\0larder-attempts:c0000202");')->body);
        // Where they cannot be counted, nobody can log in, and the error is not shown.
        $answer = self::$fpm->request((string) realpath(self::ROOT . '/cli/page.php'), pool: 'broken', parameters: ['REQUEST_METHOD' => 'POST']);
        self::assertSame([500, "This failed: see PHP's log.\n"], [$answer->status, $answer->body]);
    }

    public function testCookieIsForThisPageAlone(): void
    {
        $head = self::http('/page.php', '', ['password' => self::PASSWORD])[1];
        self::assertMatchesRegularExpression(
            '~^Set-Cookie: larder-page=\d{10}\.[0-9a-f]{64}; path=/page.php; HttpOnly; SameSite=Strict\r$~m',
            $head,
        );
        $head = self::http('/page.php', '', ['password' => self::PASSWORD], 'X-Forwarded-Proto: https')[1];
        self::assertMatchesRegularExpression(
            '~^Set-Cookie: larder-page=.*; path=/page.php; secure; HttpOnly; SameSite=Strict\r$~m',
            $head,
        );
    }

    public function testKeyIsDeletedByPostWithTokenAlone(): void
    {
        $cookie = self::logIn();
        $body = self::http('/page.php?prefix=user', $cookie)[2];
        self::assertSame(1, preg_match('~name="token" value="([0-9a-f]{64})"~', $body, $token));
        self::assertSame(1, preg_match_all('~name="id" value="([0-9a-f]{32})"~', $body, $ids), 'one row');
        $id = $ids[1][0];
        self::http("/page.php?id=$id&token=$token[1]", $cookie);
        self::assertSame(403, self::http('/page.php', $cookie, ['id' => $id])[0]);
        self::assertSame(403, self::http('/page.php', $cookie, ['id' => $id, 'token' => str_repeat('0', 64)])[0]);
        self::assertSame(403, self::http('/page.php', '', ['id' => $id, 'token' => $token[1]])[0]);
        self::assertSame('1', self::pool('<?php echo (int) larder_exists("user:1");')->body);

        [$status, $head] = self::http('/page.php', $cookie, ['id' => $id, 'token' => $token[1], 'prefix' => "u\r\nX: y"]);
        self::assertSame(303, $status);
        self::assertStringContainsString("Location: ?prefix=u%0D%0AX%3A%20y\r\n", $head);
        self::assertSame(
            '01',
            self::pool('<?php echo (int) larder_exists("user:1"), (int) larder_exists("trap");')->body,
        );
        [$status, $head] = self::http('/page.php', $cookie, ['logout' => '1', 'token' => $token[1]]);
        self::assertSame(303, $status);
        self::assertStringContainsString('Set-Cookie: larder-page=deleted', $head);
    }

    public function testKeysAreTextShortAndWithoutValues(): void
    {
        $cookie = self::logIn();
        $body = self::http('/page.php', $cookie)[2];
        self::assertStringContainsString('&lt;script&gt;alert(1)&lt;/script&gt;:&quot;&apos;&amp;', $body);
        self::assertStringNotContainsString('<script', $body);
        self::assertStringContainsString('bytes\xff\x00\x1b]0;', $body);
        self::assertStringContainsString('token:0123456789', $body);
        $json = self::http('/page.php?json=1', $cookie)[2];
        foreach ([$body, $json] as $text) {
            foreach (['THE-END', 'a secret value', 'ses5ion', 'Ada', 'larder-history', 'javascript:'] as $hidden) {
                self::assertStringNotContainsString($hidden, $text);
            }
        }
        self::assertStringContainsString('<a href="/blog/larder">blog</a>', $body);
        self::assertStringContainsString('<a href="/one">1</a>', $body);
        self::assertStringNotContainsString('evil', $body);
        self::assertLessThan(200, substr_count($body, "\u{301}"), 'combining marks have no width');
        self::assertSame(1, preg_match('~href="\?prefix=((%C3%BC)+)#keys"~', $body, $link));
        self::assertStringContainsString('>1 found<', self::http("/page.php?prefix=$link[1]", $cookie)[2]);
        self::assertSame(
            '"Ada"',
            self::pool("<?php ini_set('session.save_handler', 'larder'); ini_set('session.use_cookies', '0'); session_id('ses5ion0ses5ion0ses5ion0ses5ion0'); session_start(); echo json_encode(\$_SESSION['user']);")->body,
            'the control: there is a session',
        );
        self::assertStringNotContainsString('UNSERIALIZED', (string) file_get_contents(self::$fpm->log));
        $search = '"><script>alert(2)</script>';
        $body = self::http('/page.php?prefix=' . rawurlencode($search), $cookie)[2];
        self::assertStringContainsString('value="&quot;&gt;&lt;script&gt;', $body);
        self::assertStringNotContainsString('<script', $body);
        self::assertSame(200, self::http('/page.php?prefix[]=a&json[]=1&dsn=redis://127.0.0.1:1', $cookie)[0]);
        self::assertSame(403, self::http('/page.php', 'larder-page[]=x', ['password[]' => 'x'])[0]);
    }

    public function testHistoryGetsOneSampleAMinute(): void
    {
        $cookie = self::logIn();
        self::http('/page.php', $cookie);
        self::http('/metrics.php', '');
        $samples = '<?php echo strlen((string) larder_peek("\0larder-history"));';
        self::assertSame('32', self::pool($samples)->body);
        // As if 100 minutes had passed, from the oldest to the newest.
        $past = '<?php require "' . self::ROOT . '/vendor/autoload.php"; for ($i = 100; $i > 0; --$i) {
            $old = (string) larder_peek("\0larder-history");
            larder_store("\0larder-history", preg_replace_callback("/.{32}/s", fn($m) => pack("J", unpack("J", $m[0])[1] - 60) . substr($m[0], 8), $old));
            larder_fetch("user:1");
            Larder\Cli\Inspect\History::note(Larder\Cli\Inspect\Counters::read());
        }
        echo json_encode([strlen(larder_peek("\0larder-history")), count(Larder\Cli\Inspect\History::until(Larder\Cli\Inspect\Counters::read()))]);';
        [$bytes, $spans] = self::json($past);
        self::assertLessThanOrEqual(40 * 32, $bytes);
        self::assertGreaterThanOrEqual(25, $spans);
        $data = json_decode(self::http('/page.php?json=1', $cookie)[2], true);
        self::assertIsArray($data);
        self::assertIsArray($data['history']);
        $hits = array_sum(array_column($data['history'], 'hits'));
        self::assertGreaterThan(90, $hits, 'thinning leaves out samples, and no hit after the oldest');
        self::assertStringContainsString('class="line"', self::http('/page.php', $cookie)[2]);
    }

    public function testOtherSizesAndWhatToDoAreShown(): void
    {
        self::pool(<<<'PHP'
            <?php
            set_time_limit(0);
            larder_clear();
            for ($i = 0; $i < 1_500_000; ++$i) {
                $key = 'k' . (int) (150_000 * (mt_rand() / mt_getrandmax()) ** 2);
                larder_fetch($key) ?? larder_store($key, str_repeat('x', 400));
            }
            PHP);
        [$status, , $body] = self::http('/page.php', self::logIn());
        self::assertSame(200, $status);
        self::assertMatchesRegularExpression(
            '~<section class="verdict warn"><b>TOO SMALL</b><p>With 64 MiB instead of 16, [89]\d % would hit instead of '
                . '[34]\d %\. Set larder\.size=64M in php\.ini, then run: larder resize\.</p>~',
            $body,
        );
        self::assertSame(1, preg_match('~Hits with another size</h2>\s*<table>(.*?)</table>~s', $body, $table));
        self::assertSame(5, preg_match_all('~<tr><td>([^<]+)</td>.*?width="([\d.]+)".*?>([\d.]+) %</td></tr>~', $table[1], $rows));
        self::assertSame(['4 MiB', '8 MiB', '16 MiB, as now', '32 MiB', '64 MiB'], $rows[1]);
        self::assertSame($rows[3], $rows[2], 'the bars are as long as the figures say');
        $sorted = $rows[3];
        sort($sorted, \SORT_NUMERIC);
        self::assertSame($sorted, $rows[3]);
    }

    public function testCommandRunsInThePool(): void
    {
        $keys = self::larder('keys', 'user', '--json');
        self::assertSame([0, ''], [$keys->getExitCode(), $keys->getErrorOutput()], $keys->getOutput());
        self::assertStringContainsString('"key": "user:1"', $keys->getOutput());
        self::assertStringContainsString('"count": 1', $keys->getOutput());
        self::assertMatchesRegularExpression('~^user: +1 ~m', self::larder('du')->getOutput());
        self::assertMatchesRegularExpression(
            '~^Memory   16.0 MiB, .*; [5-9] entries~m',
            self::larder('top', '--once')->getOutput(),
        );
        self::assertStringContainsString("\n1\n", self::larder('get', 'user:1')->getOutput());
        self::assertSame(0, self::larder('delete', 'user:1')->getExitCode());
        $get = self::larder('get', '--', 'user:1');
        self::assertSame([1, ''], [$get->getExitCode(), $get->getOutput()]);
        self::assertStringContainsString('There is no entry "user:1"', $get->getErrorOutput());
        self::assertStringContainsString('add --yes', self::larder('delete', '--prefix=t')->getErrorOutput());
        foreach (['keys', 'du', 'top', 'get'] as $command) {
            $mistyped = self::larder($command, '--segment', 'defalt', ...($command === 'get' ? ['user:1'] : []));
            self::assertSame([3, ''], [$mistyped->getExitCode(), $mistyped->getOutput()], $command);
            self::assertMatchesRegularExpression('/^There is no segment defalt of \w+\. There are: default$/', $mistyped->getErrorOutput());
        }
        self::$fpm->request(self::$folder->write('other.php', '<?php larder_store("k", 1);'), parameters: ['PHP_ADMIN_VALUE' => 'larder.segment=other']);
        self::assertStringContainsString('segment other', self::larder('keys', '--segment', 'other')->getOutput());
        self::assertStringContainsString(
            'cannot be the name',
            self::larder('keys', "--segment=a\nb")->getErrorOutput(),
        );
        self::assertSame('a\u{1b}[2J' . "\nb", Text::lines("a\x1b[2J\nb"), 'of a hostile pool');
        $none = new Process([\PHP_BINARY, self::ROOT . '/cli/bin/larder', 'keys', '--fcgi=/nonexistent']);
        self::assertSame(3, $none->run());
        self::assertStringContainsString('cannot connect to /nonexistent', $none->getErrorOutput());
    }

    public function testApcuOfThePoolMovesIntoTheEngine(): void
    {
        self::pool('<?php apcu_store("of:apcu", ["x"], 600);');
        self::assertStringContainsString(' of:apcu', self::larder('keys', '--dsn=apcu:')->getOutput());
        $file = self::$folder->path . '/apcu.dump';
        $dump = self::larder('dump', '--dsn=apcu:', $file);
        self::assertSame([0, "$file: 1 entry, 0.0 MiB.\n"], [$dump->getExitCode(), $dump->getOutput()], $dump->getErrorOutput());
        $load = '<?php require "' . self::ROOT . '/vendor/autoload.php"; Larder\Dump\Dump::load("' . $file . '", intoOlder: true); echo json_encode(larder_fetch("of:apcu")); larder_delete("of:apcu");';
        self::assertSame('["x"]', self::pool($load)->body);
    }

    /** A client names its headers, and the query; a web server names all else, and sends REMOTE_ADDR. */
    public function testNoHttpRequestRunsCommands(): void
    {
        $command = http_build_query(['keys', '--json']);
        foreach (['LARDER_COMMAND', 'LARDER-COMMAND', 'Larder.Command', 'HTTP_LARDER_COMMAND'] as $header) {
            [$status, , $body] = self::http('/page.php?LARDER_COMMAND=' . rawurlencode($command), 'LARDER_COMMAND=' . rawurlencode($command), null, "$header: $command");
            self::assertSame(403, $status);
            self::assertStringNotContainsString('user:', $body);
        }
        self::assertSame(403, self::http('/page.php', '', ['LARDER_COMMAND' => $command])[0]);

        $page = (string) realpath(self::ROOT . '/cli/page.php');
        $parameters = ['REQUEST_METHOD' => 'GET', 'SCRIPT_FILENAME' => $page, 'LARDER_COMMAND' => $command];
        $connection = PhpFpmConnection::open(self::$fpm->socket);
        self::assertStringContainsString('user:1', $connection->request($parameters)->body, 'the control');
        foreach ([['REMOTE_ADDR' => '127.0.0.1'], ['HTTP_HOST' => 'a']] as $sent) {
            self::assertSame(403, $connection->request($parameters + $sent)->status);
        }
        $other = $connection->request(['LARDER_COMMAND' => '0=doctor'] + $parameters)->body;
        self::assertStringContainsString('"code": 3', $other);
        $connection->close();
    }

    private static function assertSecure(string $head): void
    {
        self::assertMatchesRegularExpression(
            "~^Content-Security-Policy: default-src 'none'; style-src 'nonce-[\w+/]{24}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r$~m",
            $head,
        );
        foreach ([
            'Cache-Control: no-store', 'X-Robots-Tag: noindex, nofollow', 'Referrer-Policy: no-referrer',
            'X-Content-Type-Options: nosniff',
        ] as $line) {
            self::assertStringContainsString("$line\r\n", $head);
        }
    }

    private static function logIn(): string
    {
        [$status, $head] = self::http('/page.php', '', ['password' => self::PASSWORD]);
        self::assertSame(303, $status);
        self::assertSame(1, preg_match('/^Set-Cookie: (larder-page=[^;]+);/m', $head, $match));

        return $match[1];
    }

    private static function larder(string ...$words): Process
    {
        $process = new Process([\PHP_BINARY, self::ROOT . '/cli/bin/larder', array_shift($words), '--fcgi=' . self::$fpm->socket, ...$words]);
        $process->run();

        return $process;
    }

    private static function pool(string $code): PhpFpmResponse
    {
        return self::$fpm->request(self::$folder->write('script-' . hash('xxh3', $code) . '.php', $code));
    }

    /** @return list<mixed> */
    private static function json(string $code): array
    {
        $data = json_decode(self::pool($code)->body, true);

        return \is_array($data) ? array_values($data) : [];
    }

    /**
     * @param array<string, string>|null $form null: GET
     * @return array{int, string, string} status, headers and body
     */
    private static function http(string $path, string $cookie, ?array $form = null, string $header = 'Accept: */*'): array
    {
        $stream = stream_socket_client('tcp://127.0.0.1:' . self::$nginx->port);
        self::assertNotFalse($stream);
        $body = $form === null ? '' : http_build_query($form);
        $lines = [
            ($form === null ? 'GET' : 'POST') . " $path HTTP/1.0", 'Host: localhost', $header,
            ...($cookie === '' ? [] : ["Cookie: $cookie"]),
            ...($form === null ? [] : ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: ' . \strlen($body)]),
        ];
        fwrite($stream, implode("\r\n", $lines) . "\r\n\r\n$body");
        [$head, $body] = [...explode("\r\n\r\n", (string) stream_get_contents($stream), 2), ''];
        fclose($stream);

        return [(int) substr($head, 9, 3), "$head\r\n", $body];
    }
}
