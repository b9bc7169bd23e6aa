import CarillonCore

/// The app whose rows a change writes, and the time at which it is applied.
struct ChangeScope {
    let app: AppNumber
    /// The time of the change. Its events have this time, and the retention of its rows counts from it.
    let now: Timestamp
}
