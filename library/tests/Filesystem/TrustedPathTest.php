<?php

declare(strict_types=1);

namespace Larder\Tests\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Filesystem\TrustedPath;
use Larder\Testing\AssertsThrows;
use Larder\Tests\OtherUser;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Root creates paths for the user www-data; the attacker is the user nobody. */
final class TrustedPathTest extends TestCase
{
    use AssertsThrows;

    private string $home;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It changes who files belong to, which takes root');
        }
        $this->home = Servers::directory('paths-' . bin2hex(random_bytes(4)));
        OtherUser::letThrough($this->home);
        foreach (['/a', '/a/b', '/a/b/c'] as $folder) {
            mkdir($this->home . $folder);
        }
        chown($this->home . '/a/b/c', OtherUser::VICTIM);
    }

    protected function tearDown(): void
    {
        posix_seteuid(0);
    }

    /** @return iterable<string, array{string, string}> what is done to /a/b/c, and the expected message */
    public static function ways(): iterable
    {
        yield 'nothing' => ['', ''];
        yield 'a folder of a stranger on the way' => [
            'chown nobody a/b',
            'directory %s/a/b belongs to another user, nobody. *Use a path that only www-data can change',
        ];
        yield 'a folder of a stranger above' => [
            'chown nobody a',
            'directory %s/a belongs to another user, nobody. *Use a path that only www-data can change',
        ];
        yield 'a folder of a stranger at the end' => [
            'chown nobody a/b/c',
            'directory %s/a/b/c belongs to another user, nobody. '
                . 'Use a directory of its own, that only www-data can write',
        ];
        yield 'a cache of a stranger at the end' => [
            'mkdir a/b/c/0f && chown nobody a/b/c',
            "directory %s/a/b/c belongs to another user, nobody. *: rm -r '%s/a/b/c'",
        ];
        yield 'everybody writes above' => [
            'chmod o+w a',
            'everybody can write the directory %s/a. *Use a path that only www-data can change',
        ];
        yield 'a group writes above' => [
            'chmod 0775 a',
            'its group can write the directory %s/a. *Use a path that only www-data can change',
        ];
        yield 'all write above' => [
            'chmod 0777 a',
            'everybody can write the directory %s/a. *Use a path that only www-data can change',
        ];
        yield 'all write at the end' => [
            'chmod 0777 a/b/c',
            'everybody can write the directory %s/a/b/c. Use a directory of its own, that only www-data can write',
        ];
        yield 'all write a cache at the end' => [
            'mkdir a/b/c/0f && chmod 0777 a/b/c',
            "everybody can write the directory %s/a/b/c. *: rm -r '%s/a/b/c'",
        ];
        yield 'sticky above, as /tmp is' => ['chmod 1777 a', ''];
        yield 'sticky above, and the next is of a stranger' => [
            'chmod 1777 a && chown nobody a/b',
            'directory %s/a/b belongs to another user, *',
        ];
        yield 'sticky at the end' => [
            'chmod 1777 a/b/c',
            'everybody can write the directory %s/a/b/c. Make a directory of its own there, and use that: '
                . "mkdir -m 700 '%s/a/b/c/larder-www-data'",
        ];
        yield 'a link' => ['mv a/b elsewhere && ln -s ../elsewhere a/b', ''];
        yield 'a link into what a stranger owns' => [
            'mkdir s && mv a/b s/b && chown nobody s && ln -s ../s/b a/b',
            'directory %s/s belongs to another user, nobody. *',
        ];
        yield 'a link in a folder of a stranger, back to a good one' => [
            'mkdir s && ln -s ../elsewhere s/l && mv a/b elsewhere && chown nobody s && ln -s ../s/l a/b',
            'directory %s/s belongs to another user, nobody. *',
        ];
        yield 'an absolute link of a stranger' => [
            'mv a/b elsewhere && ln -s "$PWD/elsewhere" a/b && chown -h nobody a/b',
            'link %s/a/b belongs to another user, nobody. *Use a path that only www-data can change',
        ];
        yield 'a circle of links' => [
            'rm -r a/b && ln -s b a/b',
            'the links at %s/a/b lead in a circle. Name another path',
        ];
        yield 'a file on the way' => ['rm -r a/b && touch a/b', '%s/a/b is not a directory. *'];
        yield 'a regular file at the end' => ['rmdir a/b/c && touch a/b/c', ''];
        yield 'a file that everybody can write' => [
            'rmdir a/b/c && touch a/b/c && chmod 0666 a/b/c',
            'everybody can write the file %s/a/b/c. *',
        ];
        yield 'a pipe at the end' => ['rmdir a/b/c && mkfifo a/b/c', '%s/a/b/c is not a directory. *'];
        yield 'not made yet' => ['rm -r a/b', ''];
        yield 'not made yet, where everybody can make it' => [
            'rm -r a/b && chmod 0777 a',
            'everybody can write the directory %s/a. *',
        ];
        yield 'not made yet, in a sticky folder' => ['rm -r a/b && chmod 1777 a', ''];
    }

    #[DataProvider('ways')]
    public function testPathThatOthersCanReplaceIsRefused(string $change, string $expected): void
    {
        exec(\sprintf('cd %s && %s', escapeshellarg($this->home), $change === '' ? 'true' : $change), $output, $code);
        self::assertSame(0, $code);
        $warnings = 0;
        set_error_handler(static function () use (&$warnings): bool {
            ++$warnings;

            return true;
        });
        OtherUser::become(OtherUser::VICTIM);
        $said = '';

        try {
            TrustedPath::check('file', $this->home . '/a//./b/c');
        } catch (StoreUnavailable $refusal) {
            $said = $refusal->getMessage();
        } finally {
            posix_seteuid(0);
            restore_error_handler();
        }
        self::assertSame(0, $warnings, 'no handler of errors hears of what was looked at');
        $pattern = '~^(file: )(the )?'
            . str_replace('\*', '.*', preg_quote(str_replace('%s', $this->home, $expected), '~')) . '$~Ds';
        $expected === '' ? self::assertSame('', $said) : self::assertMatchesRegularExpression($pattern, $said);
    }

    /** Runs the command as it is in the message. */
    public function testSuggestedCommandMakesAGoodPath(): void
    {
        $odd = $this->home . "/it's \$HOME";
        mkdir($odd);
        chmod($odd, 0o1777);

        $refusal = self::assertThrows(StoreUnavailable::class, static fn() => TrustedPath::check('file', $odd));
        self::assertSame(1, preg_match('/: (mkdir .*)$/D', $refusal->how, $command));
        exec($command[1]);
        self::assertSame($odd . '/larder-root', TrustedPath::check('file', $odd . '/larder-root'));
    }

    public function testLinksAreResolved(): void
    {
        symlink($this->home . '/a/b', $this->home . '/l');
        self::assertSame($this->home . '/a/b/new/x', TrustedPath::check('file', $this->home . '/l/../b/new/x'));
        self::assertSame('/', TrustedPath::check('file', '/'));
    }

    public function testPathHiddenByOpenBasedirIsTrusted(): void
    {
        $code = \sprintf(
            'try { echo Larder\Internal\Filesystem\TrustedPath::check("file", %s); } catch (Throwable $e) { '
                . 'echo $e->getMessage(); }',
            var_export($this->home . '/a/b/c', true),
        );
        $inside = ['-n', '-d', \sprintf('open_basedir=%s/a:%s', $this->home, OtherUser::library())];
        chown($this->home, OtherUser::STRANGER);
        self::assertSame($this->home . '/a/b/c', OtherUser::run(OtherUser::VICTIM, $code, $inside));
        chmod($this->home . '/a', 0o777);
        self::assertStringStartsWith(
            'file: everybody can write the directory ' . $this->home . '/a. ',
            OtherUser::run(OtherUser::VICTIM, $code, $inside),
            'the control: what is seen is looked at',
        );
    }

    public function testUserIsKnownWithoutPosix(): void
    {
        $code = 'var_dump(function_exists("posix_geteuid"), Larder\Internal\Process\User::id());';
        self::assertSame("bool(false)\nint(33)\n", OtherUser::run(OtherUser::VICTIM, $code, ['-n']));
        self::assertSame(
            "bool(false)\nint(33)\n",
            OtherUser::run(OtherUser::VICTIM, $code, ['-n', '-d', 'open_basedir=/tmp:' . OtherUser::library()]),
            'without a look at /proc',
        );
    }
}
