/// Formats numbers for users.
extension FixedWidthInteger {
    /// The number with commas between thousands.
    package var grouped: String {
        let digits = String(self)
        let start = digits.hasPrefix("-") ? 1 : 0
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > start, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }
}
