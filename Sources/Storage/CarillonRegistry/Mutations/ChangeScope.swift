import CarillonCore

/// The app whose rows a change writes, and the time at which it is applied.
struct ChangeScope {
    let app: AppNumber
    /// The time of the change: its rows are kept from then on, and its events are listed under it.
    let now: Timestamp
}
