<?php

declare(strict_types=1);

// What SamplingUnderFpmTest asks for: ?directory=, and how the request ends.

use Larder\Cache;
use Larder\Internal\Decorator\Sampling\RecordingFile;
use Larder\Internal\Decorator\Sampling\SamplingStore;

require __DIR__ . '/../../../../../vendor/autoload.php';

$directory = \is_string($_GET['directory'] ?? null) ? $_GET['directory'] : '';
$cache = new Cache(new SamplingStore(Cache::open('file://' . $directory)->store(), 1, RecordingFile::in($directory)));
$cache->set('k', str_repeat('x', 500));
for ($i = 0; $i < 4; ++$i) {
    $cache->get('k');
}
if (($_GET['end'] ?? '') === 'exit') {
    exit('left');
}
echo 'done';
