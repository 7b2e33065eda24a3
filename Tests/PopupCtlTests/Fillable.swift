import PopupClient

/// A value that a test fills in place.
protocol Fillable {
    init()
}

extension Fillable {
    /// Returns a value with what a closure sets.
    static func with(_ fill: (inout Self) -> Void) -> Self {
        var value = Self()
        fill(&value)
        return value
    }
}

extension BrokerStatistics.ClosedCount: Fillable {}
extension BrokerStatistics.CommandCount: Fillable {}
extension BrokerStatistics.DeniedCount: Fillable {}
extension BrokerStatistics.EventCount: Fillable {}
extension BrokerStatistics.Histogram: Fillable {}
extension BrokerStatistics.HistogramBucket: Fillable {}
extension BrokerStatistics.LimitUse: Fillable {}
extension BrokerStatistics.RefusedCount: Fillable {}
