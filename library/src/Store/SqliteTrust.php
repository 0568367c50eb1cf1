<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Exception\StoreUnavailable;

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
        $folder = \dirname($place);
        if (self::mayBeForeign($folder)) {
            TrustedPath::check('sqlite', $folder);
        }
        foreach ($suffixes as $suffix) {
            if (file_exists($place . $suffix) && self::mayBeForeign($place . $suffix)) {
                TrustedPath::check('sqlite', $place . $suffix);
            }
        }

        return $place;
    }

    private static function mayBeForeign(string $path): bool
    {
        $stat = Quietly::run(static fn(): array|false => lstat($path));

        return $stat === false || $stat['uid'] !== User::id() || ($stat['mode'] & 0o022) !== 0;
    }
}
