import CarillonCore

/// Returns the field of the error that a check throws; nil if it throws none.
func faultyField(_ check: () throws(MessageError) -> Void) -> String? {
    do throws(MessageError) {
        try check()
        return nil
    } catch {
        return error.field
    }
}
