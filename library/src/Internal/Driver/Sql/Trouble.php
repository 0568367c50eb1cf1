<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

/** The meaning of an error for its statement and connection. */
enum Trouble
{
    case Lost;
    /** Another writer was first, or the statement is no longer prepared: it may succeed now. */
    case Conflict;
    case MissingTable;
    /** The application's own use of the connection blocks it. */
    case Busy;
    /** The server is read-only, as a replica is, or the user lacks a right. */
    case Forbidden;
    case UnknownVariable;
    /** The value, or the space for it, is the reason. */
    case Refused;
}
