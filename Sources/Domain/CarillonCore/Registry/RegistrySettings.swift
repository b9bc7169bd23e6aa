/// The settings of a registry that decide the effect of changes.
///
/// The settings are part of the registry's state, and change only with `Change.configure`. So the same changes have the
/// same effect on every machine that applies them, whatever its process was started with.
package struct RegistrySettings: Hashable, Sendable {
    package var retention = Retention()
    package var silentBudget = SilentBudget()
    /// The most events that are kept, at least 1; beyond it the oldest are removed.
    package var maximumEvents = 1_000_000
    /// The most rows that one sweep removes, at least 1.
    package var maximumSweptRows = 2_000

    package init() {}

    /// Retention times, in milliseconds.
    package struct Retention: Hashable, Sendable {
        /// How long idempotency keys are kept, from acceptance (Protocol 6.1, `idempotency_window_s`): 24 hours.
        package var idempotencyMilliseconds: UInt64 = Milliseconds.perDay
        /// How long tombstones are kept, from unregistration (Protocol 7): 30 days.
        package var tombstoneMilliseconds: UInt64 = 30 * Milliseconds.perDay
        /// How long messages are kept, from their end (Protocol 10.2): 7 days.
        package var messageMilliseconds: UInt64 = 7 * Milliseconds.perDay
        /// How long quarantined devices are kept, from quarantine; then they end as if they were unregistered: 30 days.
        package var quarantineMilliseconds: UInt64 = 30 * Milliseconds.perDay
        /// How long events are kept: 7 days.
        package var eventMilliseconds: UInt64 = 7 * Milliseconds.perDay
        /// How long names of subscribers to events are kept, from their last acknowledgement: 30 days.
        package var subscriberMilliseconds: UInt64 = 30 * Milliseconds.perDay

        package init() {}
    }

    /// The number of silent pushes (push type background) that a device gets in a period.
    package struct SilentBudget: Hashable, Sendable {
        /// The number of pushes accepted by the provider in a period; 0 = no bound.
        package var pushes = 3
        /// The period in milliseconds: one hour.
        package var milliseconds: UInt64 = Milliseconds.perHour

        package init() {}
    }
}
