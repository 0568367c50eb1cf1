<?php

declare(strict_types=1);

namespace Larder\Tests\Types;

use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** At its highest level, PHPStan infers the types stated in types.php, and reports wrong ones. */
final class TypesTest extends TestCase
{
    /** PHPStan's error for each line. */
    private const WRONG = [
        "assertType('int', \$cache->get('k'));" => 'Expected type int, actual: mixed',
        "assertType('Larder\\Lock\\Lock', \$cache->lock('k', 1));" => 'Expected type Larder\Lock\Lock, actual: '
            . 'Larder\Lock\Lock|null',
        "\$cache->lock('k', 1)->release();" => 'Cannot call method release() on Larder\Lock\Lock|null.',
        "assertType('mixed', \$cache->remember('k', 60, static fn(): string => 'a'));" => "Expected type mixed, actual: 'a'",
        "strlen(\$cache->remember('k', 60, static fn(): int => 1));" => 'Parameter #1 $string of function strlen '
            . 'expects string, int given.',
        "\$cache->set('k', 1, ttl: 'a minute');" => 'Parameter $ttl of method Larder\Cache::set() expects float|int, '
            . 'string given.',
    ];

    public function testPhpStanInfersTheTypes(): void
    {
        $control = Servers::directory('types') . '/control.php';
        file_put_contents($control, \sprintf(
            "<?php declare(strict_types=1);\nuse function PHPStan\\Testing\\assertType;\n/** @var Larder\\Cache "
                . "\$cache */\n%s\n",
            implode("\n", array_keys(self::WRONG)),
        ));
        $phpStan = new Process(
            [
                \PHP_BINARY,
                'vendor/bin/phpstan',
                'analyse',
                '--memory-limit=1G',
                '--no-progress',
                '--error-format=json',
                __DIR__ . '/types.php',
                $control,
            ],
            \dirname(__DIR__, 3),
            timeout: 300.0,
        );
        $phpStan->run();
        $report = json_decode($phpStan->getOutput(), true);
        self::assertIsArray($report, $phpStan->getOutput() . $phpStan->getErrorOutput());
        self::assertIsArray($report['files']);
        self::assertSame([$control], array_keys($report['files']), $phpStan->getOutput());
        $found = $report['files'][$control];
        self::assertIsArray($found);
        self::assertIsArray($found['messages']);
        self::assertSame(array_values(self::WRONG), array_column($found['messages'], 'message'));
    }
}
