import CarillonCore

/// A page that one call of the engine works on, with its message and the other values that the work needs.
///
/// Only `PageCache.checkOut` and the arrival of a new page make one, and they check it in. It cannot be copied, so
/// `run` has one reference and changes in place.
struct CheckedOutPage: ~Copyable {
    let key: PageKey
    /// The terms of the message as they were when the page was checked out.
    let message: MessageTerms
    /// The time of the call.
    let now: Moment
    /// True if the message is a silent push; asked for each delivery.
    let isSilent: Bool
    /// The page that is worked on.
    var run: PageRun
    /// The number of attempts that this call has recorded for TRACE.
    var recordedAttempts = 0

    init(_ key: PageKey, _ run: consuming PageRun, of message: MessageTerms, at now: Moment) {
        self.key = key
        self.message = message
        self.now = now
        self.run = run
        isSilent = message.isSilent
    }

    /// Returns the name of a device of the page.
    func appDevice(_ device: DeviceID) -> AppDevice { AppDevice(app: message.app, device: device) }
}
