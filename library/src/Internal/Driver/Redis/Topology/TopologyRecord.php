<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Filesystem\UserFolder;
use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;

/**
 * A file with the map of the slots, for all processes of this user on this machine. So a new process need not ask the
 * servers, and all learn what one has learned. If there can be no file, each process asks for itself.
 */
final class TopologyRecord
{
    /** Seconds after which a map that nobody uses is removed. */
    private const FORGOTTEN = 7 * 86_400;

    private function __construct(private readonly ?string $file) {}

    /** @param string $servers identifies the servers of the DSN and the connections to them */
    public static function ofThisUser(string $servers): self
    {
        try {
            return new self(
                UserFolder::find('redis', UserFolder::parent(), 'larder-topology') . '/' . hash('xxh128', $servers),
            );
        } catch (StoreUnavailable) {
            return new self(null);
        }
    }

    /** @return array{float, SlotMap}|null the unix time at which the servers were asked, and the map */
    public function read(): ?array
    {
        $file = $this->file;
        $text = $file === null ? false : Warnings::suppress(static fn(): string|false => file_get_contents($file));
        [$time, $map] = [...explode(' ', (string) $text, 2), ''];
        $parsed = is_numeric($time) ? SlotMap::parse($map) : null;

        return $parsed === null ? null : [(float) $time, $parsed];
    }

    public function write(float $time, SlotMap $map): void
    {
        $file = $this->file;
        if ($file === null) {
            return;
        }
        Warnings::suppress(static function () use ($file, $time, $map): void {
            foreach (is_file($file) ? [] : (array) glob(\dirname($file) . '/*') as $old) {
                if ((int) filemtime((string) $old) < time() - self::FORGOTTEN) {
                    unlink((string) $old);
                }
            }
            $new = \sprintf('%s.%d', $file, Pid::own());
            if (file_put_contents($new, \sprintf('%F %s', $time, $map->toString())) === false || !rename($new, $file)) {
                unlink($new);
            }
        });
    }
}
