<?php

declare(strict_types=1);

namespace Larder\Codec;

/** What went wrong with a value: but for the last, why stored bytes could not be read. */
enum Failure: string
{
    /** Cut off, changed, or of no known format. */
    case Damaged = 'damaged';
    /** The extension that reads them is not loaded here. */
    case ExtensionMissing = 'extension missing';
    /** They hold an object of a class that does not exist any more. */
    case ClassMissing = 'class missing';
    /** They hold an object of a class that is not among those allowed. */
    case ClassNotAllowed = 'class not allowed';
    /** A class refused its data, such as a date in a time zone that is unknown here. */
    case Refused = 'refused by its class';
    /** They bear no signature, and have to. */
    case Unsigned = 'unsigned';
    /** They were signed by an unknown key or for another name, or were changed after they were signed. */
    case Forged = 'forged';
    /** The store refused it, as it does what is too large for it, or its server was unreachable. */
    case NotStored = 'not stored';
}
