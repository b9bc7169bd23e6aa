import CarillonArguments
package import CarillonCore

/// An argument for a point of time: `2026-07-01T12:00:00Z` or milliseconds since 1970.
package struct TimeArgument: ExplainedArgument, Equatable {
    /// The point of time.
    package var time: Timestamp

    package init?(argument: String) {
        guard let time = Timestamp(text: argument) else { return nil }
        self.time = time
    }

    package static func fault(of argument: String) -> String {
        "a time is 2026-07-01T12:00:00Z, or milliseconds since 1970"
    }
}
