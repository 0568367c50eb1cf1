<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** A reason to leave a file as it is. */
enum Problem
{
    case ChangedMeanwhile;
    case ElsewhereDefined;
    case Foreign;
    case NotParsed;
    case NotWritable;
    case OtherOwner;

    public function text(string $path): string
    {
        $text = match ($this) {
            /* translators: %s: path of a file */
            self::ChangedMeanwhile => __('%s has just been changed by another process. Try again.', 'larder'),
            /* translators: %s: path of a file */
            self::ElsewhereDefined => __('%s decides about WP_CACHE in a way that only a person can change.', 'larder'),
            /* translators: %s: path of a file */
            self::Foreign => __('%s belongs to another plugin. Switch that off first.', 'larder'),
            /* translators: %s: path of a file */
            self::NotParsed => __('%s cannot be checked for errors here, so it stays as it is.', 'larder'),
            /* translators: %s: path of a file */
            self::NotWritable => __('%s cannot be written by this user.', 'larder'),
            /* translators: %s: path of a file */
            self::OtherOwner => __('%s has another owner, and would lose it.', 'larder'),
        };

        return \sprintf($text, $path);
    }
}
