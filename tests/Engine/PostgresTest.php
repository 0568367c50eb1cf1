<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/** PDO's driver converts rows in place while it copies them to a server. */
final class PostgresTest extends EngineTestCase
{
    private const COPY = <<<'PHP'
        $rows = [12, 2.5, 'three'];
        larder_store('rows', $rows);
        $database = new PDO('pgsql:host=%s;dbname=postgres', 'larder');
        $database->exec('CREATE TABLE t (value TEXT)');
        $connections = [[$database, 'pgsqlCopyFromArray']];
        if (class_exists('Pdo\Pgsql')) {
            $connections[] = [new Pdo\Pgsql('pgsql:host=%1$s;dbname=postgres', 'larder'), 'copyFromArray'];
        }
        foreach ($connections as [$connection, $copy]) {
            for ($i = 0; $i < 2; $i++) {
                @$connection->$copy('t', larder_fetch('rows'));
            }
        }
        echo $database->query('SELECT count(*) FROM t')->fetchColumn() / count($connections), larder_fetch('rows') === $rows ? '' : ', changed';
        PHP;

    /** @param non-empty-string $expected first output of a script */
    #[TestWith([false, '6'])]
    #[TestWith([true, 'ended by signal 11'])] // the control: the driver gets the fetched rows themselves
    public function testFetchedRowsAreCopied(bool $careless, string $expected): void
    {
        if ($careless) {
            $this->useCarelessBuild();
        }
        $command = $this->sandbox->command(\PHP_BINARY, User::site());
        if (!\extension_loaded('pdo_pgsql')) {
            $folder = getenv('LARDER_PDO_PGSQL'); // folder if it is only unpacked
            $module = ($folder === false ? (string) \ini_get('extension_dir') : $folder) . '/pdo_pgsql.so';
            if (!is_file($module)) {
                self::markTestSkipped('the extension pdo_pgsql is not there');
            }
            array_push($command, '-d', "extension=$module");
        }
        $folder = $this->server();
        self::assertStringStartsWith($expected, $this->said(new Process([...$command, '-r', \sprintf(self::COPY, $folder)])));
    }

    /** A server that listens in a folder. */
    private function server(): string
    {
        $programs = array_map(strval(...), (array) glob('/usr/lib/postgresql/*/bin'));
        $initialize = (new ExecutableFinder())->find('initdb', null, $programs);
        if ($initialize === null || !User::mayChange()) { // it refuses to run as root
            self::markTestSkipped('no PostgreSQL that can be started');
        }
        $folder = $this->sandbox->folder();
        self::assertStringStartsNotWith('ended', $this->said(new Process([...User::site()->through(), $initialize, '-D', "$folder/data", '-A', 'trust', '-U', 'larder', '--no-sync'], $folder, timeout: 300)));
        $server = new Process([...User::site()->through('TERM'), \dirname($initialize) . '/postgres', '-D', "$folder/data", '-k', $folder, '-c', 'listen_addresses=', '-c', 'fsync=off'], $folder);
        $server->start();
        $this->sandbox->stopLater(static function () use ($server): void {
            $server->stop(10, \SIGINT);
        });
        Wait::until(static fn(): bool => str_contains($server->getErrorOutput(), 'ready to accept connections'), 'PostgreSQL is ready');

        return $folder;
    }

    private function said(Process $process): string
    {
        try {
            $process->run();
        } catch (ProcessSignaledException $ended) {
            return 'ended by signal ' . $ended->getSignal();
        }

        return ($process->isSuccessful() ? '' : 'ended with ') . $process->getOutput() . $process->getErrorOutput();
    }
}
