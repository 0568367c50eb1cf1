<?php

declare(strict_types=1);

namespace Larder\Cli\System;

use Composer\InstalledVersions;
use Larder\Drivers;

/** The machine and the PHP that figures come from. */
final class Machine
{
    /**
     * Facts that make figures of this PHP worthless.
     *
     * @param list<string> $extensions those loaded
     * @param string|false $assertions the setting zend.assertions
     * @return list<string> sentences with the problem and the remedy; empty if there is none
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

    /** @return array<string, string> distinguishes this machine, since its last boot, from every other */
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

    /** The model name of the processor; empty if the system does not report it. */
    public static function processor(): string
    {
        $information = (string) @file_get_contents('/proc/cpuinfo');

        return preg_match('/^(?:model name|Model)\s*:\s*(.+)$/m', $information, $match) === 1 ? trim($match[1]) : '';
    }

    /**
     * @param array<string, string> $loaded versions by extension
     * @return array<string, string> versions that figures depend on, including those of Composer packages, by store
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
