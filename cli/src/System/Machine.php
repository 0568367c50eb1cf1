<?php

declare(strict_types=1);

namespace Larder\Cli\System;

use Composer\InstalledVersions;
use Larder\Drivers;

/** The machine and the PHP that figures come from. */
final class Machine
{
    /**
     * What makes figures of this PHP worthless.
     *
     * @param list<string> $extensions those loaded
     * @param string|false $assertions the setting zend.assertions
     * @return list<string> sentences that say what, and how to go on; none when all is well
     */
    public static function obstacles(array $extensions, string|false $assertions): array
    {
        $obstacles = [];
        if (\in_array('xdebug', array_map(strtolower(...), $extensions), true)) {
            $obstacles[] = 'Xdebug is loaded, which slows down PHP code but hardly the stores. '
                . 'To run without it: phpdismod -s cli xdebug';
        }
        if (!\in_array($assertions, ['-1', '0', false], true)) {
            $obstacles[] = 'Assertions are on (zend.assertions=1), which slows down PHP code but hardly the stores. '
                . 'To run without them: php -d zend.assertions=-1 larder compare';
        }

        return $obstacles;
    }

    /** @return array<string, string> what tells this machine, since its last start, from every other */
    public static function identity(): array
    {
        return [
            'machine' => substr(hash('sha256', php_uname('n') . (string) @file_get_contents('/etc/machine-id')), 0, 16),
            'boot' => trim((string) @file_get_contents('/proc/sys/kernel/random/boot_id')),
        ];
    }

    public static function system(): string
    {
        return \sprintf('%s %s %s', php_uname('s'), php_uname('r'), php_uname('m'));
    }

    /** The processor's own name; empty when the system does not tell. */
    public static function processor(): string
    {
        $information = (string) @file_get_contents('/proc/cpuinfo');

        return preg_match('/^(?:model name|Model)\s*:\s*(.+)$/m', $information, $match) === 1 ? trim($match[1]) : '';
    }

    /**
     * @param array<string, string> $loaded versions by extension
     * @return array<string, string> of those that figures depend on, and of the packages of Composer, by store
     */
    public static function versions(array $loaded): array
    {
        $variants = Drivers::variants();
        $versions = array_intersect_key($loaded, array_flip(['igbinary', ...array_column($variants, 'extension')]));
        foreach ($variants as $name => $variant) {
            if ($variant->library !== '' && InstalledVersions::isInstalled($variant->library)) {
                $versions[$name] = (string) InstalledVersions::getPrettyVersion($variant->library);
            }
        }
        ksort($versions);

        return $versions;
    }
}
