<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** A file in wp-content that WordPress loads by its name, if it is there. Those of other plugins stay as they are. */
final class DropIn
{
    /** The first comment of ours, in all versions. */
    private const OURS = '~\A<\?php\s+/\*(?:(?!\*/).)*?\bLarder\b(?:(?!\*/).)*?\bThe plugin copies this file to~s';

    /**
     * @param string $template file in the folder of the plugin
     * @param string $path place in wp-content
     */
    public function __construct(private readonly string $template, public readonly string $path) {}

    public function state(): DropInState
    {
        return $this->stateOf(AtomicFile::contents($this->path));
    }

    /**
     * Places or updates it.
     *
     * @throws Refused
     */
    public function place(): void
    {
        $present = AtomicFile::contents($this->path);
        $state = $this->stateOf($present);
        if ($state === DropInState::Foreign) {
            throw new Refused(Problem::Foreign, $this->path);
        }
        if ($state !== DropInState::Current) {
            AtomicFile::write($this->path, (string) file_get_contents($this->template), $present);
        }
    }

    /**
     * Removes it if it is ours.
     *
     * @throws Refused
     */
    public function remove(): void
    {
        if ($this->state()->isOurs()) {
            AtomicFile::remove($this->path);
        }
    }

    private function stateOf(?string $contents): DropInState
    {
        return match (true) {
            $contents === null => DropInState::Absent,
            $contents === file_get_contents($this->template) => DropInState::Current,
            preg_match(self::OURS, $contents) === 1 => DropInState::Outdated,
            default => DropInState::Foreign,
        };
    }
}
