<?php

declare(strict_types=1);

namespace Larder\Driver\Sqlite;

use Larder\Exception\StoreUnavailable;
use Larder\Filesystem\TrustedPath;
use Larder\Process\Quietly;
use Larder\Process\User;

/** Whether nobody else can have written what SQLite would read: the file, what stands beside it, and the folders on the way. */
final class SqliteTrust
{
    /**
     * The folder is refused if others may write there, even a sticky one: they could make files that SQLite reads with this.
     *
     * @param list<string> $suffixes of the files beside
     * @return string the file without symbolic links: SQLite follows them before it makes files beside
     * @throws StoreUnavailable naming the command that repairs it
     */
    public static function check(string $file, array $suffixes): string
    {
        $place = TrustedPath::check('sqlite', $file);
        $user = User::id();
        $suspects = Quietly::run(static fn(): array => array_filter(
            [\dirname($place), ...array_map(static fn(string $suffix): string => $place . $suffix, $suffixes)],
            static fn(string $path): bool => self::mayBeForeign($path, $user),
        ));
        foreach ($suspects as $path) {
            TrustedPath::check('sqlite', $path);
        }

        return $place;
    }

    /** A quick look at what is there; what is not, nobody else can put there. */
    private static function mayBeForeign(string $path, ?int $user): bool
    {
        $stat = lstat($path);

        return $stat !== false && ($stat['uid'] !== $user || ($stat['mode'] & 0o022) !== 0);
    }
}
