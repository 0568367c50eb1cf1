<?php

declare(strict_types=1);

namespace Larder\Codec;

/** Reason why stored bytes could not be read; the last is a failure to store. */
enum Failure: string
{
    /** Cut off, changed, or of no known format. */
    case Damaged = 'damaged';
    /** The extension that reads them is not loaded here. */
    case ExtensionMissing = 'extension missing';
    /** They hold an object of a class that no longer exists. */
    case ClassMissing = 'class missing';
    /** They hold an object of a class that is not allowed. */
    case ClassNotAllowed = 'class not allowed';
    /** A class refused its data, such as a date in an unknown time zone. */
    case Refused = 'refused by its class';
    /** They must have a signature, and have none. */
    case Unsigned = 'unsigned';
    /** They were signed by an unknown key or for another name, or were changed after they were signed. */
    case Forged = 'forged';
    /** The store refused the value, for example as too large, or its server was unreachable. */
    case NotStored = 'not stored';
}
