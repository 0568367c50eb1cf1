<?php

declare(strict_types=1);

namespace Larder\Lab\PageCache;

// Runs the cases against a WordPress, whatever page cache it has.
//
//   SUITE_KEY=… php lab/page-cache/suite.php --url http://127.0.0.1:8080 [--shell 'command'] [--filter words]
//
// The site must be one for tests: with lab/page-cache/stand-in.php in wp-content/mu-plugins, SUITE_KEY in the
// environment of its PHP, "/%postname%/" as its permalinks, an administrator with the number 1, and an empty plugin
// suite-empty.php. --shell runs a function in the shell, as lab/page-cache/shell.php does.

require __DIR__ . '/Site.php';

$options = getopt('', ['url:', 'shell:', 'filter:', 'json']);
$site = new Site(rtrim((string) ($options['url'] ?? ''), '/'), (string) getenv('SUITE_KEY'), (string) ($options['shell'] ?? ''));
$counts = ['passed' => 0, 'failed' => 0, 'skipped' => 0];
/** @var array<string, \Closure(Site): mixed> $cases */
$cases = require __DIR__ . '/cases.php';
foreach ($cases as $name => $case) {
    if (!str_contains($name, (string) ($options['filter'] ?? ''))) {
        continue;
    }
    try {
        $case($site);
        $result = 'passed';
        $why = '';
    } catch (Skipped $skipped) {
        $result = 'skipped';
        $why = $skipped->getMessage();
    } catch (\Exception $failure) {
        $result = 'failed';
        $why = $failure->getMessage();
    }
    ++$counts[$result];
    echo "$result\t$name\t", strtr($why, "\n", ' '), "\n";
}
echo "$counts[passed] passed, $counts[failed] failed", $counts['skipped'] > 0 ? ", $counts[skipped] skipped" : '', "\n";
exit($counts['failed'] === 0 ? 0 : 1);
