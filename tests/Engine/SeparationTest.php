<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\DataProvider;

/** Caches that must be separate are: segments have different names, and a request can change nothing but the name. */
final class SeparationTest extends EngineTestCase
{
    public function testSegmentNamesSeparatePoolsOfOneUser(): void
    {
        $user = User::site()->name;
        $fpm = $this->sandbox->fpm([
            new PhpFpmPool('one', ['larder.segment' => 'one'], $user),
            new PhpFpmPool('two', ['larder.segment' => 'two'], $user),
            new PhpFpmPool('another-one', ['larder.segment' => 'one'], $user),
        ]);
        $fpm->pool('one')->run('larder_store("value", "of one");');
        $fpm->pool('two')->run('larder_store("value", "of two");');

        $look = 'return [larder_fetch("value"), larder_info()["segment"]];';
        self::assertSame(['of one', 'one'], $fpm->pool('one')->run($look));
        self::assertSame(['of two', 'two'], $fpm->pool('two')->run($look));
        self::assertSame(['of one', 'one'], $fpm->pool('another-one')->run($look));
        self::assertSame(['of two', 'two'], $this->sandbox->commandLine(ini: ['larder.segment' => 'two'])->run($look));
        self::assertSame([null, 'default'], $this->sandbox->commandLine()->run($look));
    }

    /** Settings that would split the cache if a request could change them, and the worker kept the change. */
    private const SETTINGS = ['path' => '/tmp', 'size' => '16M', 'processes' => '7', 'enabled' => '0', 'pin_share' => '0.1'];

    /** All settings, the attached segment, and true if the value exists; precision is the control. */
    private const LOOK = <<<'PHP'
        $info = larder_info();
        $settings = [];
        foreach (['path', 'size', 'processes', 'enabled', 'pin_share'] as $name) {
            $settings[$name] = ini_get("larder.$name");
        }
        return [$settings, $info['path'] ?? $info['reason'], larder_fetch('value'), (int) ini_get('precision')];
        PHP;

    /** @return iterable<string, array{string, bool}> */
    public static function senders(): iterable
    {
        foreach (['PHP_VALUE', 'PHP_ADMIN_VALUE'] as $variable) {
            yield "$variable, to a new worker" => [$variable, false];
            yield "$variable, to an attached worker" => [$variable, true];
        }
    }

    #[DataProvider('senders')]
    public function testRequestCannotChangeSettings(string $variable, bool $attached): void
    {
        $this->sandbox->commandLine()->run('larder_store("value", "shared");');
        $usual = $this->sandbox->fpm(ini: ['precision' => 14])->run(self::LOOK);
        $fpm = $this->sandbox->fpm(ini: ['precision' => 14]);
        if ($attached) {
            self::assertSame($usual, $fpm->run(self::LOOK));
        }
        $lines = ['precision=9'];
        foreach (self::SETTINGS as $name => $value) {
            $lines[] = "larder.$name=$value";
        }
        $brought = $fpm->runWith(self::LOOK, [$variable => implode("\n", $lines)]);

        self::assertIsArray($usual);
        self::assertSame([...\array_slice($usual, 0, 3), 9], $brought, 'precision was changed, and nothing else');
        $ignored = 'is ignored: a request can set only larder.segment; use php.ini or the FPM pool';
        // FPM's master writes its worker's messages when it gets a processor.
        Wait::until(static fn(): bool => str_contains($fpm->log(), $ignored), 'the log tells of it');
        self::assertSame(1, substr_count($fpm->log(), $ignored), $fpm->log());
        // They do not stay in the worker either, unlike values of PHP_ADMIN_VALUE in FPM.
        self::assertSame(\array_slice($usual, 0, 3), \array_slice((array) $fpm->run(self::LOOK), 0, 3));
    }

    public function testFolderOrScriptCannotChangeSettings(): void
    {
        $folder = \dirname($this->sandbox->write('.user.ini', "precision=9\nlarder.segment=other\nlarder.enabled=0\n"));
        $fpm = $this->sandbox->fpm();
        self::assertSame(
            ['9', 'default', '1', false, false],
            $fpm->runWith(
                'return [ini_get("precision"), ini_get("larder.segment"), ini_get("larder.enabled"), ini_set("larder.segment", "other"), ini_set("larder.enabled", "0")];',
                ['DOCUMENT_ROOT' => $folder],
            ),
        );
    }

    #[DataProvider('masks')]
    public function testSegmentIsPrivateWithAnyUmask(string $mask): void
    {
        $umask = ['sh', '-c', "umask $mask; exec \"\$@\"", 'sh'];
        $fpm = $this->sandbox->fpm(ini: ['larder.segment' => 'of-fpm'], through: $umask);
        $control = $this->sandbox->folder() . '/control';
        $fpm->run("larder_store('value', 1); touch('$control');");
        self::assertSame(0o666 & ~octdec($mask), fileperms($control) & 0o777);
        $this->sandbox->commandLine(ini: ['larder.segment' => 'of-the-command-line'], through: $umask)->run('larder_store("value", 1);');

        $folder = $this->sandbox->segmentFolder();
        self::assertSame(0o700, fileperms($folder) & 0o777);
        $files = glob("$folder/*");
        self::assertIsArray($files);
        self::assertCount(2, $files, 'two segments');
        foreach ($files as $file) {
            self::assertSame([0o600, User::site()->id], [fileperms($file) & 0o777, fileowner($file)], $file);
        }
        self::assertCount(2, $this->sandbox->segments());
    }

    /** @return iterable<string, array{string}> */
    public static function masks(): iterable
    {
        yield '000' => ['000'];
        yield '022' => ['022'];
        yield '077' => ['077'];
    }
}
