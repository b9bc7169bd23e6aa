import ArgumentParser
import CarillonCore

/// The check of `--label`.
enum LabelRule {
    /// Throws the error of a label that the server would refuse.
    static func check(_ label: String) throws {
        do throws(MessageError) {
            try MessageRules.checkLabel(label)
        } catch {
            throw ValidationError("--label has 1 to \(Message.maximumLabelBytes) bytes and no control characters.")
        }
    }
}
