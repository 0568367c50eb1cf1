<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\System\ServerFailed;
use PHPUnit\Framework\Attributes\DataProvider;

/** All processes of one user share one cache, in every SAPI, and point into it instead of copying. */
final class CrossSapiTest extends EngineTestCase
{
    private const KINDS = ['command line', 'FPM', 'CGI', 'built-in server'];

    /** A string and an array, written by one process and read by another. */
    private const VALUE = '[str_repeat("a long string ", 50), ["rows" => [["id" => 1, "name" => "first"], ["id" => 2, "name" => "second"]], "on" => true]]';

    /** @return iterable<string, array{string, string}> */
    public static function pairs(): iterable
    {
        foreach (self::KINDS as $writer) {
            foreach (self::KINDS as $reader) {
                yield "$writer to $reader" => [$writer, $reader];
            }
        }
    }

    #[DataProvider('pairs')]
    public function testChangesAreSeenByEverySapiWithoutCopies(string $writer, string $reader): void
    {
        $from = $this->php($writer);
        $to = $this->php($reader);

        self::assertTrue($from->run(\sprintf('return larder_store("value", %s);', self::VALUE)));
        self::assertTrue($to->run(\sprintf('return larder_fetch("value") === %s;', self::VALUE)));
        self::assertSame(
            ['copies' => 0, 'pages held' => 1, 'zero-copy' => true],
            $to->run(<<<'PHP'
                $before = larder_info()['copies'];
                $value = larder_fetch('value');
                $info = larder_info();
                return ['copies' => $info['copies'] - $before, 'pages held' => $info['pins']['mine'], 'zero-copy' => $info['zero_copy']];
                PHP),
        );

        $from->run('larder_store("value", "new value");');
        self::assertSame('new value', $to->run('return larder_fetch("value");'));
        $from->run('larder_delete("value");');
        self::assertSame('none', $to->run('return larder_fetch("value", "none");'));
    }

    /** The control: a copy is counted as one. */
    public function testCopiesAreCounted(): void
    {
        $php = $this->php('FPM');
        $php->run('larder_store("value", str_repeat("a long string ", 50));');
        self::assertSame(
            ['copies' => 1, 'pages held' => 0, 'zero-copy' => false],
            $php->run(<<<'PHP'
                ini_set('larder.zero_copy', '0');
                $before = larder_info()['copies'];
                $value = larder_fetch('value');
                $info = larder_info();
                return ['copies' => $info['copies'] - $before, 'pages held' => $info['pins']['mine'], 'zero-copy' => $info['zero_copy']];
                PHP),
        );
    }

    /** Pages are held until the end of the request, if there is one, and no longer. */
    #[DataProvider('ends')]
    public function testPagesAreHeldUntilTheRequestEnds(string $kind, int $heldLater): void
    {
        $php = $this->php($kind);
        $php->run('larder_store("value", str_repeat("a long string ", 50));');
        self::assertSame(1, $php->number('$value = larder_fetch("value"); return larder_info()["pins"]["mine"];'));
        self::assertSame($heldLater, $php->figure('pins', 'mine'));
    }

    /** @return iterable<string, array{string, int}> */
    public static function ends(): iterable
    {
        yield 'command line' => ['command line', 1];
        yield 'FPM' => ['FPM', 0];
        yield 'built-in server' => ['built-in server', 0];
    }

    public function testRootsCronJobHasItsOwnCache(): void
    {
        self::needsRoot();
        $site = $this->sandbox->commandLine();
        $cron = $this->sandbox->commandLine(User::current());
        $site->run('larder_store("value", "of the site");');
        $cron->run('larder_store("value", "of root");');

        self::assertSame(['of the site', User::site()->id], $site->run('return [larder_fetch("value"), larder_info()["user"]];'));
        self::assertSame(['of root', 0], $cron->run('return [larder_fetch("value"), larder_info()["user"]];'));
        // a cron job that runs as the site's user has the site's cache
        $job = $this->sandbox->commandLine();
        self::assertSame('of the site', $job->run('return larder_fetch("value");'));
    }

    private function php(string $kind): Php
    {
        try {
            return match ($kind) {
                'command line' => $this->sandbox->commandLine(),
                'FPM' => $this->sandbox->fpm(),
                'CGI' => $this->sandbox->cgi(),
                default => $this->sandbox->builtInServer(),
            };
        } catch (ServerFailed $missing) {
            self::markTestSkipped($missing->getMessage());
        }
    }
}
