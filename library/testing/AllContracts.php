<?php

declare(strict_types=1);

namespace Larder\Testing;

/** All contracts, for the test class of a store that keeps values. */
trait AllContracts
{
    use AtomicContract;
    use CapabilitiesContract;
    use ItemPoolContract;
    use LockContract;
    use NamespacesContract;
    use RememberContract;
    use SimpleCacheContract;
    use StoreContract;
    use TagsContract;
}
