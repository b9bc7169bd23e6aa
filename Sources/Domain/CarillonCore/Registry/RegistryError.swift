/// The reason why the registry as a whole refuses or fails.
package enum RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The queue is full: not executed, try again soon.
    case overloaded
    /// The deadline passed before the change began: not executed.
    case deadline
    /// The disk is nearly full: not executed.
    case storageFull
    /// The disk failed: the effect is unknown; the registry has stopped for good.
    case storageFailed(String)
    /// A stored record cannot be read.
    case corrupted(String)
    /// The registry was closed: not executed.
    case closed
    /// Another process uses the data directory of this path: nothing was opened.
    case inUse(String)
    /// The shared log of the cluster does not take the change: not executed, try again soon.
    case logUnavailable(String)
    /// The effect of the change, now or later, is not known.
    case effectUnknown(String)
    /// The data directory cannot be used in this way: nothing was opened. The text is a sentence.
    case refused(String)

    /// True if the same change may succeed a moment later.
    package var isTransient: Bool {
        switch self {
        case .overloaded, .storageFull, .logUnavailable, .effectUnknown: true
        case .deadline, .storageFailed, .corrupted, .closed, .inUse, .refused: false
        }
    }

    /// A sentence that is safe to show.
    package var description: String {
        switch self {
        case .overloaded: "the registry's queue is full"
        case .deadline: "the deadline passed before the change began"
        case .storageFull: "the registry is almost full"
        case .storageFailed(let what): "the registry's disk failed: \(what)"
        case .corrupted(let what): "the registry holds a record that cannot be read: \(what)"
        case .closed: "the registry is closed"
        case .inUse(let path): "data directory \(path) is in use by another process"
        case .logUnavailable(let what): "the shared log of the cluster is unavailable: \(what)"
        case .effectUnknown(let what): what
        case .refused(let sentence): sentence
        }
    }
}
