<?php

declare(strict_types=1);

namespace Larder\Tests\Driver;

use Larder\Contract\Capability;
use Larder\Testing\AtomicContract;
use Larder\Testing\LockContract;
use Larder\Testing\StoreContract;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Every store works the same, however PHP's settings change the form of numbers, dates and letters. */
final class OddSettingsTest extends TestCase
{
    /**
     * Numbers of few digits, a decimal comma, an "i" that is no "I" in lower case, and text in other encodings. (With
     * less than 17, serialize_precision cuts the values themselves.)
     */
    private const ODD = [
        'precision' => '3', 'serialize_precision' => '17', 'date.timezone' => 'Pacific/Kiritimati',
        'default_charset' => 'Shift_JIS', 'mbstring.language' => 'Japanese', 'mbstring.substitute_character' => 'long',
        'mbstring.strict_detection' => '1',
    ];
    private const LOCALE = 'tr_TR.UTF-8';

    /** @var array<string, string> the original values */
    private array $settings = [];

    protected function tearDown(): void
    {
        self::set($this->settings);
        setlocale(\LC_ALL, 'C');
    }

    /** Checks of the contracts on values, expiry, counters and locks. */
    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testContractsHold(TestedStore $store): void
    {
        $this->useOddSettings();
        $held = 0;
        foreach ([StoreContract::class, AtomicContract::class, LockContract::class] as $contract) {
            foreach ((new \ReflectionClass($contract))->getMethods() as $method) {
                if (
                    str_starts_with($method->name, 'test') && $method->getNumberOfParameters() === 0
                    && $method->getAttributes(Group::class) === [] && !str_contains($method->name, 'Concurrent')
                ) {
                    (new $store->test($method->name))->runBare();
                    ++$held;
                }
            }
        }
        self::assertGreaterThan(10, $held);
    }

    /** For example FPM and the command line, each of which has its own php.ini. */
    #[DataProviderExternal(TestedStore::class, 'each')]
    public function testProcessesWithOtherSettingsShareEntries(TestedStore $store): void
    {
        $cache = $store->openNew();
        if (!$cache->can(Capability::Atomic)) {
            self::assertSame('Yac', $store->name);

            return;
        }
        $values = ['count' => 1, 'float' => 1 / 3, 'text' => "Iı\u{130}i", 'nested' => [0.1 + 0.2, 1e300, -0.0]];
        foreach ([
            ['precision' => '17', 'serialize_precision' => '17'],
            ['precision' => '-1', 'serialize_precision' => '-1'],
            self::ODD,
        ] as $written) {
            foreach ([['precision' => '14', 'serialize_precision' => '-1'], self::ODD] as $read) {
                $this->set($written);
                self::assertTrue($cache->setMany($values, 60));
                $until = $cache->expiry('count');
                $lock = $cache->lock('lock', 60);
                $this->set($read);
                self::assertSame($values, $cache->getMany(array_keys($values)));
                self::assertEqualsWithDelta($until, $cache->expiry('count'), 0.5);
                self::assertSame(2, $cache->increment('count'));
                self::assertTrue(
                    $cache->touch('float', 60) && $cache->replace('text', 'new') && $cache->swap('count', 2, 3),
                );
                self::assertTrue($lock?->renew(60) === true && $lock->release());
            }
        }
    }

    private function useOddSettings(): void
    {
        $this->set(self::ODD);
        $folder = Servers::directory('locales');
        if (!is_dir("$folder/tr_TR.utf8")) {
            (new Process(['localedef', '-i', 'tr_TR', '-f', 'UTF-8', "$folder/tr_TR.utf8"]))->mustRun();
        }
        putenv("LOCPATH=$folder");
        self::assertSame(self::LOCALE, setlocale(\LC_ALL, self::LOCALE));
        $number = microtime(true);
        self::assertStringContainsString(
            ',',
            \sprintf('%.3f', $number),
            'the control: PHP writes numbers by the locale',
        );
        self::assertStringContainsString('E+9', (string) $number, 'the control: and by its settings');
    }

    /** @param array<string, string> $settings */
    private function set(array $settings): void
    {
        foreach ($settings as $setting => $value) {
            $before = ini_set($setting, $value);
            self::assertNotFalse($before, $setting);
            $this->settings[$setting] ??= $before;
        }
    }
}
