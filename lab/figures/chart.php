<?php

declare(strict_types=1);

/*
 * Draws README's chart, the one that the report begins with.
 *
 *     php lab/figures/chart.php docs/figures/compare.jsonl docs/figures/chart.svg
 */

use Larder\Cli\Advice\Advice;
use Larder\Cli\Report\Html\Screen;
use Larder\Cli\Report\ResultFile;
use Larder\Lab\Figures\Measured;

require __DIR__ . '/../../vendor/autoload.php';

[, $source, $file] = [...$argv, '', ''];
$advice = Advice::of(ResultFile::read($source)) ?? throw new RuntimeException("$source has no figures that can be compared");
file_put_contents($file, (new Screen($advice))->picture('Medians and 95 % intervals of larder compare, ' . Measured::read($source)->machine() . '.'));
