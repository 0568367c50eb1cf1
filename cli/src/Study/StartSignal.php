<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

/**
 * Lets several processes start at once. Each waits for a shared lock on a file, which the starter keeps locked until
 * all are ready. The file then holds the time of the start, so that later steps can be synchronized too.
 */
final class StartSignal
{
    /** @var resource */
    private $file;

    /** @param string $path path of a new file */
    public function __construct(public readonly string $path)
    {
        $file = fopen($path, 'we');
        if ($file === false || !flock($file, \LOCK_EX)) {
            throw new \RuntimeException(\sprintf('%s cannot be written and locked', $path));
        }
        $this->file = $file;
    }

    /** Called by the starter. */
    public function give(): void
    {
        fwrite($this->file, (string) \hrtime(true));
        fflush($this->file);
        flock($this->file, \LOCK_UN);
    }

    /**
     * Called by each process.
     *
     * @return int time of the start, by hrtime()
     * @throws \RuntimeException if the starter has ended without a signal
     */
    public static function await(string $path): int
    {
        $file = fopen($path, 'r');
        if ($file === false || !flock($file, \LOCK_SH)) {
            throw new \RuntimeException(\sprintf('%s cannot be read and locked', $path));
        }
        $moment = (int) stream_get_contents($file);

        return $moment > 0 ? $moment : throw new \RuntimeException('no signal to start was given');
    }
}
